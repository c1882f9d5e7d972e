/** @file How this cell reads the memory, where it differs from the memory's own settings. */

import { Popover } from "radix-ui";
import { QUESTION_NAMES } from "../../../records/params.ts";
import { Button } from "../../controls/Button.tsx";
import { ParameterControl } from "../../parameters/ParameterControl.tsx";
import { changed, settingsLine } from "./readSettings.ts";
import type { ReadSettingsProps } from "./ReadSettings.tsx";
import s from "./ReadSettingsPopover.module.css";

/** Opens as it comes: it is asked for by a press. */
export function ReadSettingsPopover({ settings, defaults, onChange, disabled }: ReadSettingsProps) {
  const now = { ...defaults, ...settings };
  const line = settingsLine(settings);
  return (
    <Popover.Root defaultOpen>
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
