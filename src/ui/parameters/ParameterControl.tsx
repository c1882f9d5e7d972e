/** @file The control that sets one parameter: which one it is, and its range, follow from the table. */

import { useId, type ReactNode } from "react";
import { PROBE, type ParameterValue, type Preset } from "../../records/parameterKinds.ts";
import { PRESETS, SHARP, rowOf, type ParameterName } from "../../records/params.ts";
import { UNPROBED_TOKENS } from "../../records/plan.ts";
import { noneText, valueText } from "../../records/parameterText.ts";
import { NumberField } from "../controls/Field.tsx";
import { Select } from "../controls/Select.tsx";
import { Slider } from "../controls/Slider.tsx";
import { Switch } from "../controls/Choice.tsx";
import { Row } from "../controls/layout.tsx";
import { Button } from "../controls/Button.tsx";
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
      return <Limit {...props} label={common.label} />;
    case "number":
      if (compact && kind.step && kind.max <= 1)
        return <Scale {...props} min={kind.min} max={kind.max} step={kind.step} label={common.label} />;
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

interface ScaleProps extends ParameterControlProps {
  readonly label: ReactNode;
  readonly min: number;
  readonly max: number;
  readonly step: number;
}

function Scale({ value, onChange, disabled = false, label, min, max, step }: ScaleProps) {
  return (
    <Slider
      label={label}
      tone="lapis"
      value={Number(value)}
      min={min}
      max={max}
      step={step}
      format={(shown) => shown.toFixed(2)}
      onChange={onChange}
      disabled={disabled}
    />
  );
}

/** A number that may be unset, or chosen by a probe. */
function Limit({
  name,
  value,
  onChange,
  disabled = false,
  compact = false,
  label,
}: ParameterControlProps & { readonly label: ReactNode }) {
  const { kind, about, unit, label: called } = rowOf(name);
  if (kind.type !== "limit") return null;
  const preset = SHARP[name];
  const first = typeof preset === "number" ? preset : kind.probed ? UNPROBED_TOKENS : kind.max;
  return (
    <Row wrap gap="0 var(--space-3)" align="end" className={s.limit}>
      <NumberField
        label={label}
        {...(compact ? {} : { hint: about })}
        value={typeof value === "number" ? value : first}
        onChange={onChange}
        min={kind.min}
        max={kind.max}
        disabled={disabled || typeof value !== "number"}
        {...(unit ? { unit } : {})}
      />
      {kind.probed && (
        <Instead
          label="by probe"
          name={`${called}: by probe`}
          checked={value === PROBE}
          disabled={disabled}
          onChange={(checked) => onChange(checked ? PROBE : first)}
        />
      )}
      <Instead
        label={noneText(kind)}
        name={kind.none === undefined ? `No ${called.toLowerCase()}` : `${called}: ${kind.none}`}
        checked={value === null}
        disabled={disabled}
        onChange={(checked) => onChange(checked ? null : first)}
      />
    </Row>
  );
}

interface InsteadProps {
  readonly label: string;
  readonly name: string;
  readonly checked: boolean;
  readonly disabled: boolean;
  readonly onChange: (checked: boolean) => void;
}

/** The label of the unset value. */
function Instead({ label, name, checked, disabled, onChange }: InsteadProps) {
  const id = useId();
  return (
    <Row as="label" htmlFor={id} gap="0.35rem" align="center" size="s" inline className={s.none}>
      <input
        id={id}
        type="checkbox"
        checked={checked}
        disabled={disabled}
        aria-label={name}
        onChange={({ target }) => onChange(target.checked)}
      />
      {label}
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

interface ParameterFieldProps {
  readonly name: ParameterName;
  readonly value: ParameterValue;
  readonly preset: Preset;
  readonly onChange: (value: ParameterValue) => void;
  readonly disabled: boolean;
}

export function ParameterField({ name, value, preset, onChange, disabled }: ParameterFieldProps) {
  const usual = PRESETS[preset][name];
  return (
    <div className={s.field} data-parameter={name} data-changed={value !== usual || undefined}>
      <ParameterControl name={name} value={value} onChange={onChange} disabled={disabled} />
      {value !== usual && (
        <Row align="center" gap={2} tone="lapis" size="s">
          {preset} has {valueText(name, usual)}
          <Button
            look="quiet"
            size="s"
            icon="undo"
            disabled={disabled}
            aria-label={`Reset ${rowOf(name).label} to ${valueText(name, usual)}`}
            onClick={() => onChange(usual)}
          >
            Reset
          </Button>
        </Row>
      )}
    </div>
  );
}
