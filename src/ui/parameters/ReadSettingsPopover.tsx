/** @file Read settings of a cell that differ from those of the memory. */

import { Popover } from "radix-ui";
import { QUESTION_NAMES } from "../../records/params.ts";
import { Button, Grid, Row, Text } from "../controls/basics.tsx";
import { ParameterControl } from "./ParameterControl.tsx";
import { changed, settingsLine, type ReadSettingsProps } from "./ReadSettings.tsx";
import s from "./ReadSettingsPopover.module.css";

export function ReadSettingsPopover({ settings, defaults, onChange, disabled }: ReadSettingsProps) {
  const now = { ...defaults, ...settings };
  const line = settingsLine(settings);
  return (
    <Popover.Root defaultOpen>
      <Popover.Trigger asChild>
        <Button look="quiet" size="s" label={line || "Read settings"} disabled={disabled} />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          className={s.popover}
          align="start"
          sideOffset={6}
          collisionPadding={8}
          aria-label="Read settings"
        >
          <Grid gap="0.7rem 1rem" align="end" columns="1fr 1fr">
            {QUESTION_NAMES.map((name) => (
              <ParameterControl
                key={name}
                compact
                name={name}
                value={now[name]}
                onChange={(value) => onChange(changed({ ...settings, [name]: value }, defaults))}
              />
            ))}
          </Grid>
          <Row align="center" gap="0.75rem" justify="between" ruled="top" style={{ paddingTop: "0.5rem" }}>
            <Text tone="soft" size="s">
              {line === "" ? "As the memory was made." : `Differs from the memory: ${line}.`}
            </Text>
            <Button look="quiet" size="s" icon="undo" disabled={line === ""} onClick={() => onChange(null)}>
              Reset
            </Button>
          </Row>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
