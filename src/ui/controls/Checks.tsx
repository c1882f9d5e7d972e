/** @file Any of several, all in sight: boxes with words in a row, under one heading. */

import { useId, type ReactNode } from "react";
import { Row, Text } from "./layout.tsx";
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
      <Row wrap gap="0.15rem 1.1rem" above="0.2rem">
        {options.map(({ value, label: words, about }) => (
          <Row as="label" key={value} title={about} align="center" gap="0.4rem" inline className={s.option}>
            <input
              type="checkbox"
              checked={chosen.includes(value)}
              onChange={() => onChange(toggled(value))}
            />
            <span>{words}</span>
          </Row>
        ))}
      </Row>
      {hint && (
        <Text as="div" id={id} tone="soft" size="s">
          {hint}
        </Text>
      )}
    </fieldset>
  );
}
