/** @file The control that sets one parameter: which one it is, and its range, follow from the table. */

import { type ReactNode, useId } from "react";
import { PROBE, type ParameterValue, type Preset } from "../../records/parameterKinds.ts";
import { PRESETS, SHARP, rowOf, type ParameterName, type MethodParams } from "../../records/params.ts";
import { UNPROBED_TOKENS } from "../../records/plan.ts";
import {
  noneText,
  valueText,
  ALL_HEADINGS,
  differences,
  headingSummary,
  namesUnder,
  problemsOf,
  withParameter,
  type Heading,
} from "../../records/parameterText.ts";
import { NumberField, Slider, Select, Switch } from "../controls/Field.tsx";
import { Row, Grid, Stack, Text, Button, Badge } from "../controls/basics.tsx";
import { Failed } from "../controls/useAsync.tsx";
import { Disclosure } from "../controls/Dialog.tsx";
import { counted } from "../format.ts";
import s from "./Parameters.module.css";
import form from "./Form.module.css";

interface ParameterControlProps {
  readonly name: ParameterName;
  readonly value: ParameterValue;
  readonly onChange: (value: ParameterValue) => void;
  readonly disabled?: boolean;
  /** A field for a parameter with its help as tooltip; shares and cosines have a slider. */
  readonly compact?: boolean;
}

export function ParameterControl(props: ParameterControlProps) {
  const { name, value, onChange, disabled = false, compact = false } = props;
  const { kind, about, unit } = rowOf(name);
  const common = {
    label: <ParameterLabel name={name} />,
    ...(compact ? {} : { hint: about }),
    disabled,
  };
  switch (kind.type) {
    case "switch":
      return <Switch {...common} checked={value === true} onChange={onChange} />;
    case "choice":
      return <Select {...common} value={String(value)} options={kind.options} onChange={onChange} />;
    case "limit":
      return <Limit {...props} common={common} />;
    case "number":
      if (compact && kind.step && kind.max <= 1)
        return (
          <Slider
            {...common}
            value={Number(value)}
            min={kind.min}
            max={kind.max}
            step={kind.step}
            format={(shown) => shown.toFixed(2)}
            onChange={onChange}
          />
        );
      break;
    case "whole":
      break;
    default:
      return kind satisfies never;
  }
  return (
    <NumberField
      {...common}
      value={Number(value)}
      onChange={onChange}
      min={kind.min}
      max={kind.max}
      whole={kind.type === "whole"}
      {...(kind.type === "number" && kind.step ? { step: kind.step } : {})}
      {...(unit ? { unit } : {})}
    />
  );
}

interface LimitProps extends ParameterControlProps {
  readonly common: { readonly label: ReactNode; readonly hint?: ReactNode; readonly disabled: boolean };
}

/** A number that may be unset, or chosen by a probe. */
function Limit({ name, value, onChange, common }: LimitProps) {
  const { kind, unit, label } = rowOf(name);
  if (kind.type !== "limit") return null;
  const preset = SHARP[name];
  const first = typeof preset === "number" ? preset : kind.probed ? UNPROBED_TOKENS : kind.max;
  const isNumber = typeof value === "number";
  const instead = (option: typeof PROBE | null, words: string, spoken: string) => (
    <Row as="label" gap="0.35rem" align="center" size="s" inline className={s.none}>
      <input
        type="checkbox"
        checked={value === option}
        disabled={common.disabled}
        aria-label={spoken}
        onChange={({ target }) => onChange(target.checked ? option : first)}
      />
      {words}
    </Row>
  );
  return (
    <Row wrap gap="0 var(--space-3)" align="end" className={s.limit}>
      <NumberField
        {...common}
        value={isNumber ? value : first}
        onChange={onChange}
        min={kind.min}
        max={kind.max}
        disabled={common.disabled || !isNumber}
        {...(unit ? { unit } : {})}
      />
      {kind.probed && instead(PROBE, "by probe", `${label}: by probe`)}
      {instead(
        null,
        noneText(kind),
        kind.none === undefined ? `No ${label.toLowerCase()}` : `${label}: ${kind.none}`,
      )}
    </Row>
  );
}

function ParameterLabel({ name }: { readonly name: ParameterName }) {
  const { label, symbol, about, source } = rowOf(name);
  return (
    <span title={`${about} (${source})`}>
      {label}
      {symbol && <i className={s.symbol}>{symbol}</i>}
    </span>
  );
}

type ParameterFieldProps = ParameterControlProps & { readonly preset: Preset };

function ParameterField({ preset, ...control }: ParameterFieldProps) {
  const { name, value, onChange, disabled } = control;
  const usual = PRESETS[preset][name];
  return (
    <div className={s.field} data-parameter={name} data-changed={value !== usual || undefined}>
      <ParameterControl {...control} />
      {value !== usual && (
        <Row align="center" gap={2} tone="lapis" size="s">
          {preset} has {valueText(name, usual)}
          <Button
            look="quiet"
            size="s"
            icon="undo"
            label="Reset"
            disabled={disabled}
            aria-label={`Reset ${rowOf(name).label} to ${valueText(name, usual)}`}
            onClick={() => onChange(usual)}
          />
        </Row>
      )}
    </div>
  );
}

interface ParametersProps {
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
      {problems.length > 0 && <Failed title="Invalid parameters" message={problems.join(" ")} />}
    </Stack>
  );
}

function PresetSwitch(props: ParametersProps & { readonly changed: number }) {
  const { params, onChange, disabled, changed } = props;
  // One name for both, and another one in every cell.
  const name = useId();
  return (
    <Row
      as="fieldset"
      wrap
      align="start"
      gap="var(--space-3) var(--space-5)"
      shrinks
      className={form.presets}
      disabled={disabled}
    >
      <legend className="visually-hidden">Preset</legend>
      {(["sharp", "paper"] as const).map((preset) => (
        <Row as="label" key={preset} gap={2} align="baseline" className={form.preset}>
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

function Group(props: ParametersProps & Readonly<{ heading: Heading; changed: readonly ParameterName[] }>) {
  const { heading, params, changed, onChange, disabled } = props;
  const names = namesUnder(heading);
  const here = names.filter((name) => changed.includes(name));
  return (
    <Disclosure
      summary={<span className={form.group}>{heading}</span>}
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
