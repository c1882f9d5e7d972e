/** @file The parameters of the method: one line in all, one per stage, and every field. Changed fields can be reset. */

import { useId } from "react";
import {
  ALL_HEADINGS,
  differences,
  headingSummary,
  namesUnder,
  problemsOf,
  withParameter,
  type Heading,
} from "../../../records/parameterText.ts";
import { PRESETS, type MethodParams, type ParameterName } from "../../../records/params.ts";
import { Badge, Notice, Button } from "../../controls/basics.tsx";
import { Disclosure } from "../../controls/Disclosure.tsx";
import { counted } from "../../format.ts";
import { ParameterField } from "../../parameters/ParameterControl.tsx";
import { Grid, Row, Stack, Text } from "../../controls/layout.tsx";
import s from "./Parameters.module.css";

export interface ParametersProps {
  readonly params: MethodParams;
  readonly onChange: (params: MethodParams) => void;
  readonly disabled: boolean;
}

export function Parameters({ params, onChange, disabled }: ParametersProps) {
  const changed = differences(params);
  const problems = problemsOf(params);
  return (
    <Stack gap={3}>
      <Disclosure
        summary={<strong>{PRESET_NAMES[params.preset]}</strong>}
        note={(["Budget", "Layers", "Read"] as const).map((name) => headingSummary(name, params)).join(", ")}
        aside={changed.length > 0 && <Badge tone="lapis">{counted(changed.length, "change")}</Badge>}
      >
        <PresetSwitch params={params} onChange={onChange} disabled={disabled} changed={changed.length} />
        {ALL_HEADINGS.map((heading) => (
          <Group key={heading} {...{ heading, params, changed, onChange, disabled }} />
        ))}
      </Disclosure>
      {problems.length > 0 && (
        <Notice tone="rubric" role="alert" title="Invalid parameters">
          {problems.join(" ")}
        </Notice>
      )}
    </Stack>
  );
}

function PresetSwitch({
  params,
  onChange,
  disabled,
  changed,
}: ParametersProps & { readonly changed: number }) {
  // One name for both, and another one in every cell.
  const name = useId();
  return (
    <Row
      as="fieldset"
      wrap
      align="start"
      gap="var(--space-3) var(--space-5)"
      shrinks
      className={s.presets}
      disabled={disabled}
    >
      <legend className="visually-hidden">Preset</legend>
      {(["sharp", "paper"] as const).map((preset) => (
        <Row as="label" key={preset} gap={2} align="baseline" className={s.preset}>
          <input
            type="radio"
            name={name}
            checked={params.preset === preset}
            onChange={() => onChange(PRESETS[preset])}
          />
          <span>
            <strong>{PRESET_NAMES[preset]}</strong>
            <Text tone="soft" size="s" style={{ display: "block" }}>
              {PRESET_NOTES[preset]}
            </Text>
          </span>
        </Row>
      ))}
      {changed > 0 && (
        <Button size="s" icon="undo" onClick={() => onChange(PRESETS[params.preset])}>
          {`Back to the ${params.preset} preset`}
        </Button>
      )}
    </Row>
  );
}

function Group({
  heading,
  params,
  changed,
  onChange,
  disabled,
}: ParametersProps & { readonly heading: Heading; readonly changed: readonly ParameterName[] }) {
  const names = namesUnder(heading);
  const here = names.filter((name) => changed.includes(name));
  return (
    <Disclosure
      summary={<span className={s.group}>{heading}</span>}
      note={headingSummary(heading, params)}
      aside={here.length > 0 && <Badge tone="lapis">{counted(here.length, "change")}</Badge>}
    >
      <Grid
        gap="var(--space-4) var(--space-5)"
        columns="repeat(auto-fill, minmax(min(100%, 19rem), 1fr))"
        style={{ paddingBottom: "var(--space-3)" }}
      >
        {names.map((name) => (
          <ParameterField
            key={name}
            name={name}
            value={params[name]}
            preset={params.preset}
            disabled={disabled}
            onChange={(value) => onChange(withParameter(params, name, value))}
          />
        ))}
      </Grid>
    </Disclosure>
  );
}

const PRESET_NAMES = { sharp: "Sharp", paper: "Paper" } as const;
const PRESET_NOTES = {
  sharp: "The default: the paper’s method with improvements, each of which can be switched back.",
  paper: "Exactly as in the paper.",
} as const;
