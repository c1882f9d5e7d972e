/** @file The button of how a cell reads the memory; what it opens is fetched when it is first pressed. */

import { lazy, Suspense, useState } from "react";
import type { ReadSettings as Settings } from "../../records/notebook.ts";
import type { QuestionParams } from "../../records/params.ts";
import { Button } from "../controls/Button.tsx";
import { settingsLine } from "./readSettings.ts";

const ReadSettingsPopover = lazy(() =>
  import("./ReadSettingsPopover.tsx").then((module) => ({ default: module.ReadSettingsPopover })),
);

export interface ReadSettingsProps {
  readonly settings: Settings | null;
  readonly defaults: QuestionParams;
  readonly onChange: (settings: Settings | null) => void;
  readonly disabled: boolean;
}

export function ReadSettings(props: ReadSettingsProps) {
  const [wanted, setWanted] = useState(false);
  const closed = (
    <Button
      look="quiet"
      size="s"
      disabled={props.disabled}
      aria-haspopup="dialog"
      onClick={() => setWanted(true)}
    >
      {settingsLine(props.settings) || "Read settings"}
    </Button>
  );
  return wanted ? (
    <Suspense fallback={closed}>
      <ReadSettingsPopover {...props} />
    </Suspense>
  ) : (
    closed
  );
}
