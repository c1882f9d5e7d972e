/** @file The button for a cell's read settings; its popover is loaded at the first press. */

import { useState } from "react";
import { Button } from "../controls/basics.tsx";
import { lazily } from "../controls/useAsync.tsx";
import type { ReadSettings as Settings } from "../../records/notebook.ts";
import { settingText } from "../../records/parameterText.ts";
import { QUESTION_NAMES, type QuestionParams } from "../../records/params.ts";

export interface ReadSettingsProps {
  readonly settings: Settings | null;
  readonly defaults: QuestionParams;
  readonly onChange: (settings: Settings | null) => void;
  readonly disabled: boolean;
}

const ReadSettingsPopover = lazily(
  async () => (await import("./ReadSettingsPopover.tsx")).ReadSettingsPopover,
);

export function ReadSettings(props: ReadSettingsProps) {
  const { settings, disabled } = props;
  const [wanted, setWanted] = useState(false);
  if (wanted) return <ReadSettingsPopover {...props} />;
  return (
    <Button look="quiet" size="s" disabled={disabled} aria-haspopup="dialog" onClick={() => setWanted(true)}>
      {settingsLine(settings) || "Read settings"}
    </Button>
  );
}

/** The parts of `settings` that differ from the memory's own; null when none does. */
export function changed(settings: Settings, defaults: QuestionParams): Settings | null {
  const parts = Object.entries(settings).filter(
    ([name, value]) => defaults[name as keyof QuestionParams] !== value,
  );
  return parts.length === 0 ? null : Object.fromEntries(parts);
}

export const settingsLine = (settings: Settings | null): string =>
  QUESTION_NAMES.flatMap((name) => {
    const value = settings?.[name];
    return value === undefined ? [] : [settingText(name, value)];
  }).join(", ");
