/** @file The settings of a study, with their defaults; what was changed goes back with one press. */

import type { Setting } from "../../../records/run.ts";
import { STUDY_INFO, type SettingInfo } from "../../../records/studies.ts";
import { useActions, type CellProps } from "../../app.tsx";
import { Button } from "../../controls/Button.tsx";
import { NumberField, TextField } from "../../controls/Field.tsx";
import { listProblem } from "../../evaluation/studySettings.ts";
import s from "./ExperimentCell.module.css";

/** Every study draws by it; runs with the same seed are over the same facts. */
const SEED: SettingInfo = { label: "Seed", value: 1, hint: "another one draws other facts" };

export function StudySettingsForm({
  cell: { id, input },
  disabled,
}: CellProps<"experiment"> & { readonly disabled: boolean }) {
  const { setInput } = useActions();
  const known = [...Object.entries(STUDY_INFO[input.study].settings), ["seed", SEED] as const];
  const changed = known.some(([name, { value }]) => (input.settings[name] ?? value) !== value);
  return (
    <div className={s.settings}>
      {known.map(([name, info]) => (
        <SettingField
          key={`${input.study} ${name}`}
          info={info}
          value={input.settings[name] ?? info.value}
          disabled={disabled}
          onChange={(value) =>
            setInput(id, "experiment", (now) => ({ ...now, settings: { ...now.settings, [name]: value } }))
          }
        />
      ))}
      {changed && (
        <Button
          look="quiet"
          size="s"
          icon="undo"
          disabled={disabled}
          onClick={() => setInput(id, "experiment", (now) => ({ ...now, settings: {} }))}
        >
          Back to the defaults
        </Button>
      )}
    </div>
  );
}

function SettingField({
  info,
  value,
  disabled,
  onChange,
}: {
  readonly info: SettingInfo;
  readonly value: Setting;
  readonly disabled: boolean;
  readonly onChange: (value: Setting) => void;
}) {
  const { label, hint } = info;
  if (typeof value === "number")
    return (
      <NumberField
        label={label}
        hint={hint}
        value={value}
        min={0}
        max={1_000_000}
        disabled={disabled}
        onChange={onChange}
      />
    );
  const usual = String(info.value);
  return (
    <TextField
      label={label}
      hint={hint}
      error={listProblem(String(value), usual)}
      value={String(value)}
      disabled={disabled}
      onChange={onChange}
    />
  );
}
