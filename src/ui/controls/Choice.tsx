/** @file One of a few, all in sight: words in a row, the chosen one underlined. */

import { RadioGroup, Switch as Radix } from "radix-ui";
import { useId, type ReactNode } from "react";
import { Row, Text } from "./layout.tsx";
import s from "./Choice.module.css";

interface ChoiceProps<Value extends string> {
  /** For screen readers. */
  readonly label: string;
  readonly value: Value | null;
  readonly onChange: (value: Value) => void;
  readonly options: { readonly [V in Value]?: ReactNode };
  readonly disabled?: boolean;
}

export function Choice<Value extends string>(props: ChoiceProps<Value>) {
  const { label, value, onChange, options, disabled } = props;
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
      {Object.entries<ReactNode>(options).map(([name, words]) => (
        <RadioGroup.Item key={name} id={`${id}-${name}`} value={name} className={s.option}>
          {words}
        </RadioGroup.Item>
      ))}
    </RadioGroup.Root>
  );
}

export interface CheckOption {
  readonly value: string;
  readonly label: ReactNode;
  readonly about?: string;
}

interface ChecksProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly options: readonly CheckOption[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
  readonly disabled?: boolean;
}

export function Checks({ label, hint, options, chosen, onChange, disabled = false }: ChecksProps) {
  const id = useId();
  const toggled = (value: string): readonly string[] =>
    options.map((one) => one.value).filter((one) => chosen.includes(one) !== (one === value));
  return (
    <fieldset className={s.group} disabled={disabled} {...(hint ? { "aria-describedby": id } : {})}>
      <legend>{label}</legend>
      <Row wrap gap="0.15rem 1.1rem" above="0.2rem">
        {options.map(({ value, label: words, about }) => (
          <Row
            as="label"
            key={value}
            title={about}
            align="center"
            gap="0.4rem"
            inline
            className={s.checksOption}
          >
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

interface SwitchProps {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly disabled?: boolean;
}

export function Switch({ label, hint, checked, onChange, disabled }: SwitchProps) {
  const id = useId();
  return (
    <Row align="start" gap="0.6rem">
      <Radix.Root
        id={id}
        className={s.track}
        checked={checked}
        onCheckedChange={onChange}
        disabled={disabled ?? false}
        {...(hint ? { "aria-describedby": `${id}-hint` } : {})}
      >
        <Radix.Thumb className={s.thumb} />
      </Radix.Root>
      <div>
        <label htmlFor={id} className={s.label}>
          {label}
        </label>
        {hint && (
          <Text as="div" id={`${id}-hint`} tone="soft" size="s">
            {hint}
          </Text>
        )}
      </div>
    </Row>
  );
}
