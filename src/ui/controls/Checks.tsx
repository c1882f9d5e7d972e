/** @file Any of several, all in sight: boxes with words in a row, under one heading. */

import { useId, type ReactNode } from "react";
import s from "./Checks.module.css";

export interface CheckOption {
  readonly value: string;
  readonly label: ReactNode;
  /** As a tooltip. */
  readonly about?: string;
}

export function Checks({
  label,
  hint,
  options,
  chosen,
  onChange,
  disabled = false,
}: {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly options: readonly CheckOption[];
  readonly chosen: readonly string[];
  /** In the order of the options. */
  readonly onChange: (chosen: readonly string[]) => void;
  readonly disabled?: boolean;
}) {
  const id = useId();
  const toggled = (value: string): readonly string[] =>
    options
      .map((option) => option.value)
      .filter((one) => (one === value ? !chosen.includes(one) : chosen.includes(one)));
  return (
    <fieldset className={s.group} disabled={disabled} {...(hint ? { "aria-describedby": id } : {})}>
      <legend>{label}</legend>
      <div className={s.row}>
        {options.map(({ value, label: words, about }) => (
          <label key={value} title={about} className={s.option}>
            <input
              type="checkbox"
              checked={chosen.includes(value)}
              onChange={() => onChange(toggled(value))}
            />
            <span>{words}</span>
          </label>
        ))}
      </div>
      {hint && (
        <div id={id} className={s.hint}>
          {hint}
        </div>
      )}
    </fieldset>
  );
}
