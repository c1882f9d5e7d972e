/** @file One parameter: its control, what it does, and how it differs from the preset. */

import { valueText } from "../../records/parameterText.ts";
import type { ParameterValue, Preset } from "../../records/parameterKinds.ts";
import { PRESETS, rowOf, type ParameterName } from "../../records/params.ts";
import { Button } from "../controls/Button.tsx";
import { ParameterControl } from "./ParameterControl.tsx";
import { Row } from "../controls/layout.tsx";
import s from "./Parameters.module.css";

export interface ParameterFieldProps {
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
