/** @file The button of how a cell reads the memory; what it opens is fetched when it is first pressed. */

import { useState } from "react";
import { Button } from "../controls/Button.tsx";
import { lazily } from "../controls/lazily.tsx";
import { settingsLine } from "./readSettings.ts";
import type { ReadSettingsProps } from "./ReadSettingsPopover.tsx";

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
