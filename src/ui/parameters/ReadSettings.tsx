/** @file How a cell reads the memory, where it differs from the memory's own settings: a button that opens their fields. */

import { Popover } from "radix-ui";
import type { ReadSettings as Settings } from "../../records/notebook.ts";
import { QUESTION_NAMES, questionParams, SHARP, type QuestionParams } from "../../records/params.ts";
import { useApp } from "../app.tsx";
import { Button } from "../controls/basics.tsx";
import { Grid, Row, Text } from "../controls/layout.tsx";
import { settingsLine } from "../facts/words.ts";
import { ParameterControl } from "./ParameterControl.tsx";
import s from "./ReadSettings.module.css";

interface ReadSettingsProps {
  readonly settings: Settings | null;
  readonly onChange: (settings: Settings | null) => void;
  readonly disabled: boolean;
}

export function ReadSettings({ settings, onChange, disabled }: ReadSettingsProps) {
  const defaults = questionParams(useApp(({ memory }) => memory.info?.params ?? SHARP));
  const now = { ...defaults, ...settings };
  const line = settingsLine(settings);
  return (
    <Popover.Root>
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

/** The parts of `settings` that differ from the memory's own; null when none does. */
export function changed(settings: Settings, defaults: QuestionParams): Settings | null {
  const parts = Object.entries(settings).filter(
    ([name, value]) => defaults[name as keyof QuestionParams] !== value,
  );
  return parts.length === 0 ? null : Object.fromEntries(parts);
}
