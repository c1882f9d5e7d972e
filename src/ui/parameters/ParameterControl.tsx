/** @file The control that sets one parameter: which one it is, and its range, follow from the table. */

import type { ReactNode } from "react";
import { PROBE, type ParameterValue, type Preset } from "../../records/parameterKinds.ts";
import { PRESETS, SHARP, rowOf, type ParameterName } from "../../records/params.ts";
import { UNPROBED_TOKENS } from "../../records/plan.ts";
import { noneText, valueText } from "../../records/parameterText.ts";
import { NumberField, Slider } from "../controls/Field.tsx";
import { Select } from "../controls/Select.tsx";
import { Switch } from "../controls/Choice.tsx";
import { Row } from "../controls/layout.tsx";
import { Button } from "../controls/basics.tsx";
import s from "./Parameters.module.css";

export interface ParameterControlProps {
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
            tone="lapis"
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

/** A number that may be unset, or chosen by a probe. */
function Limit({
  name,
  value,
  onChange,
  common,
}: ParameterControlProps & {
  readonly common: { readonly label: ReactNode; readonly hint?: ReactNode; readonly disabled: boolean };
}) {
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

export function ParameterField({ preset, ...control }: ParameterFieldProps) {
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
