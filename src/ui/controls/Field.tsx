/** @file Text, number, slider and choice fields with a label, a hint and an error that belong to them. */

import { useId, useState, type ComponentProps, type ReactNode } from "react";
import { cx, Row, Stack, Text, Grid } from "./layout.tsx";
import s from "./Field.module.css";
import slider from "./Slider.module.css";

export interface FieldProps {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly error?: string | null | undefined;
  readonly hideLabel?: boolean | undefined;
}

type Wiring = Pick<ComponentProps<"input">, "id" | "aria-describedby" | "aria-invalid">;

interface WiredProps extends FieldProps {
  readonly children: (wiring: Wiring) => ReactNode;
}

export function Field({ label, hint, error, hideLabel, children }: WiredProps) {
  const id = useId();
  const note = error ?? hint;
  return (
    <Stack gap="0.25rem" shrinks className={s.field}>
      <Text as="label" htmlFor={id} tone="soft" size="s" className={cx(hideLabel && "visually-hidden")}>
        {label}
      </Text>
      {children({
        id,
        "aria-describedby": note ? `${id}-note` : undefined,
        "aria-invalid": error ? true : undefined,
      })}
      {note && (
        <div id={`${id}-note`} className={error ? s.error : s.hint} role={error ? "alert" : undefined}>
          {note}
        </div>
      )}
    </Stack>
  );
}

type EntryProps<Tag extends "input" | "textarea"> = FieldProps &
  Omit<ComponentProps<Tag>, "onChange" | "value" | "children"> & {
    readonly value: string;
    readonly onChange: (value: string) => void;
  };
type TextFieldProps = EntryProps<"input">;
type TextAreaProps = EntryProps<"textarea">;

export const TextField = (props: TextFieldProps) => (
  <Entry tag="input" type="text" autoComplete="off" {...props} />
);

export const TextArea = ({ className, ...props }: TextAreaProps) => (
  <Entry tag="textarea" {...(props as TextFieldProps)} className={cx(s.area, className)} />
);

function Entry({
  tag,
  value,
  onChange,
  className,
  ...props
}: TextFieldProps & { readonly tag: "input" | "textarea" }) {
  const { label, hint, error, hideLabel, ...rest } = props;
  const Tag = tag as "input";
  return (
    <Field {...{ label, hint, error, hideLabel }}>
      {(wiring) => (
        <Tag
          {...rest}
          {...wiring}
          className={cx(s.input, className)}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

interface NumberFieldProps extends Omit<FieldProps, "error"> {
  readonly value: number;
  /** Called with values in range only. */
  readonly onChange: (value: number) => void;
  readonly min: number;
  readonly max: number;
  readonly step?: number;
  readonly whole?: boolean;
  readonly unit?: string;
  readonly disabled?: boolean;
}

/** A number field. Values out of range stay in the field with an error and are not passed on. */
export function NumberField({ value, onChange, min, max, whole = false, unit, ...props }: NumberFieldProps) {
  const { step = whole ? 1 : "any", disabled, ...field } = props;
  const [draft, setDraft] = useState<string | null>(null);
  const problem = draft === null ? null : numberProblem(draft, { min, max, whole });
  return (
    <Field {...field} error={problem}>
      {(wiring) => (
        <Row as="span" align="center" gap="0.5rem">
          <input
            type="number"
            inputMode={whole ? "numeric" : "decimal"}
            {...wiring}
            className={cx(s.input, s.number)}
            value={draft ?? String(value)}
            {...{ min, max, step, disabled }}
            onChange={({ target }) => {
              setDraft(target.value);
              if (!numberProblem(target.value, { min, max, whole })) onChange(Number(target.value));
            }}
            onBlur={() => setDraft(null)}
          />
          {unit && (
            <Text tone="soft" size="s">
              {unit}
            </Text>
          )}
        </Row>
      )}
    </Field>
  );
}

function numberProblem(
  text: string,
  { min, max, whole }: { min: number; max: number; whole: boolean },
): string | null {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) return "This must be a number.";
  if (whole && !Number.isInteger(value)) return "This must be a whole number.";
  return value < min || value > max ? `This must be from ${min} to ${max}.` : null;
}

interface SliderProps {
  readonly label: ReactNode;
  readonly value: number;
  readonly onChange: (value: number) => void;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly format?: (value: number) => string;
  readonly disabled?: boolean;
}

export function Slider({ label, value, onChange, format = String, ...range }: SliderProps) {
  const id = useId();
  return (
    <Grid gap="0.2rem 0.75rem" columns="1fr auto">
      <Text as="label" htmlFor={id} tone="soft" size="s">
        {label}
      </Text>
      <output className={cx("num", slider.value)}>{format(value)}</output>
      <input
        id={id}
        type="range"
        className={slider.range}
        aria-valuetext={format(value)}
        value={value}
        {...range}
        onChange={({ target }) => onChange(target.valueAsNumber)}
      />
    </Grid>
  );
}
