/** @file One of a few, all in sight: words in a row, the chosen one underlined. */

import { RadioGroup } from "radix-ui";
import { useId, type ReactNode } from "react";
import s from "./Choice.module.css";

export function Choice<Value extends string>({
  label,
  value,
  onChange,
  options,
  disabled,
}: {
  /** For screen readers. */
  readonly label: string;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  readonly options: readonly { readonly value: Value; readonly label: ReactNode }[];
  readonly disabled?: boolean;
}) {
  const id = useId();
  return (
    <RadioGroup.Root
      className={s.row}
      aria-label={label}
      orientation="horizontal"
      value={value}
      onValueChange={(next) => onChange(next as Value)}
      disabled={disabled ?? false}
    >
      {options.map((option) => (
        <RadioGroup.Item
          key={option.value}
          id={`${id}-${option.value}`}
          value={option.value}
          className={s.option}
        >
          {option.label}
        </RadioGroup.Item>
      ))}
    </RadioGroup.Root>
  );
}
