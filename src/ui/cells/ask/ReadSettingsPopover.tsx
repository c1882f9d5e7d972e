/** @file How this cell reads the memory, where it differs from the memory's own settings. */

import { Popover } from "radix-ui";
import type { ReadSettings } from "../../../records/notebook.ts";
import { QUESTION_NAMES, type QuestionParams } from "../../../records/params.ts";
import { Button } from "../../controls/Button.tsx";
import { ParameterControl } from "../../parameters/ParameterControl.tsx";
import { changed, settingsLine } from "./readSettings.ts";
import s from "./ReadSettingsPopover.module.css";

export function ReadSettingsPopover({
  settings,
  defaults,
  onChange,
  disabled,
}: {
  readonly settings: ReadSettings | null;
  /** Of the memory. */
  readonly defaults: QuestionParams;
  readonly onChange: (settings: ReadSettings | null) => void;
  readonly disabled: boolean;
}) {
  const now = { ...defaults, ...settings };
  const line = settingsLine(settings);
  return (
    <Popover.Root>
      <Popover.Trigger asChild>
        <Button look="quiet" size="s" disabled={disabled}>
          {line === "" ? "Read settings" : line}
        </Button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          className={s.popover}
          align="start"
          sideOffset={6}
          collisionPadding={8}
          aria-label="Read settings"
        >
          <div className={s.settings}>
            {QUESTION_NAMES.map((name) => (
              <ParameterControl
                key={name}
                compact
                name={name}
                value={now[name]}
                onChange={(value) => {
                  onChange(changed({ ...settings, [name]: value }, defaults));
                }}
              />
            ))}
          </div>
          <div className={s.foot}>
            <span className={s.note}>
              {line === "" ? "As the memory was made." : `Differs from the memory: ${line}.`}
            </span>
            <Button
              look="quiet"
              size="s"
              icon="undo"
              disabled={line === ""}
              onClick={() => {
                onChange(null);
              }}
            >
              Reset
            </Button>
          </div>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
