/** @file One parameter: its control, what it does, and how it differs from the preset. */

import { useId } from "react";
import { PRESETS, type MethodParams } from "../../../records/params.ts";
import { Button } from "../../controls/Button.tsx";
import { NumberField } from "../../controls/Field.tsx";
import { Select } from "../../controls/Select.tsx";
import { Switch } from "../../controls/Switch.tsx";
import { PARAMETERS, valueText, type ParameterName } from "./parameters.ts";
import s from "./Parameters.module.css";

type Value = MethodParams[ParameterName];

export interface ParameterFieldProps {
  readonly name: ParameterName;
  readonly value: Value;
  readonly preset: MethodParams["preset"];
  readonly onChange: (value: Value) => void;
  readonly disabled: boolean;
}

export function ParameterField(props: ParameterFieldProps) {
  const { name, value, preset, onChange, disabled } = props;
  const usual = PRESETS[preset][name];
  return (
    <div className={s.field} data-parameter={name} data-changed={value !== usual || undefined}>
      <Control {...props} />
      {value !== usual && (
        <div className={s.changed}>
          {preset} has {valueText(name, usual)}
          <Button
            look="quiet"
            size="s"
            icon="undo"
            disabled={disabled}
            aria-label={`Reset ${PARAMETERS[name].label} to ${valueText(name, usual)}`}
            onClick={() => {
              onChange(usual);
            }}
          >
            Reset
          </Button>
        </div>
      )}
    </div>
  );
}

function Control(props: ParameterFieldProps) {
  const { name, value, onChange, disabled } = props;
  const { kind, about, unit } = PARAMETERS[name];
  const label = <Label name={name} />;
  switch (kind.type) {
    case "switch":
      return (
        <Switch label={label} hint={about} checked={value === true} onChange={onChange} disabled={disabled} />
      );
    case "choice":
      return (
        <Select
          label={label}
          hint={about}
          value={String(value)}
          options={kind.options}
          disabled={disabled}
          onChange={(next) => {
            onChange(next as Value);
          }}
        />
      );
    case "limit":
      return <Limit {...props} />;
    case "whole":
    case "number":
      return (
        <NumberField
          label={label}
          hint={about}
          value={Number(value)}
          onChange={onChange}
          min={kind.min}
          max={kind.max}
          whole={kind.type === "whole"}
          disabled={disabled}
          {...(kind.type === "number" && kind.step ? { step: kind.step } : {})}
          {...(unit ? { unit } : {})}
        />
      );
    default:
      return kind satisfies never;
  }
}

/** A number that may also be none at all. */
function Limit({ name, value, onChange, disabled }: ParameterFieldProps) {
  const { kind, about, unit, label } = PARAMETERS[name];
  const id = useId();
  if (kind.type !== "limit") return null;
  return (
    <div className={s.limit}>
      <NumberField
        label={<Label name={name} />}
        hint={about}
        value={typeof value === "number" ? value : FIRST_LIMIT}
        onChange={onChange}
        min={kind.min}
        max={kind.max}
        disabled={disabled || value === null}
        {...(unit ? { unit } : {})}
      />
      <label htmlFor={id} className={s.none}>
        <input
          id={id}
          type="checkbox"
          checked={value === null}
          disabled={disabled}
          aria-label={`No ${label.toLowerCase()}`}
          onChange={({ target }) => {
            onChange(target.checked ? null : FIRST_LIMIT);
          }}
        />
        none
      </label>
    </div>
  );
}

function Label({ name }: { readonly name: ParameterName }) {
  const { label, symbol } = PARAMETERS[name];
  return (
    <>
      {label}
      {symbol && <i className={s.symbol}>{symbol}</i>}
    </>
  );
}

/** What a limit starts from when it is switched on; the default preset's clamp. */
const FIRST_LIMIT = 8;
