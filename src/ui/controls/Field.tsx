/** @file Fields with a label, a hint and an error that belong to them; choices of one or several; switches. */

import { useId, useState, type ComponentProps, type ReactNode } from "react";
import { cx, Row, Stack, Text, Grid, Icon, Note } from "./basics.tsx";
import s from "./Field.module.css";
import slider from "./Slider.module.css";
import { Select as Radix, RadioGroup, Switch as RadixSwitch } from "radix-ui";
import select from "./Select.module.css";
import choice from "./Choice.module.css";

interface FieldProps {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly error?: string | null | undefined;
  readonly hideLabel?: boolean | undefined;
}

type Wiring = Pick<ComponentProps<"input">, "id" | "aria-describedby" | "aria-invalid">;

export function Field(props: FieldProps & { readonly children: (wiring: Wiring) => ReactNode }) {
  const { label, hint, error, hideLabel, children } = props;
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
  Omit<ComponentProps<Tag>, "onChange" | "value" | "children"> &
  Readonly<{ value: string; onChange: (value: string) => void }>;
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

export interface NumberFieldProps extends Omit<FieldProps, "error"> {
  readonly value: number;
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
          {unit && <Note as="span">{unit}</Note>}
        </Row>
      )}
    </Field>
  );
}

function numberProblem(text: string, { min, max, whole }: { min: number; max: number; whole: boolean }) {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) return "This must be a number.";
  if (whole && !Number.isInteger(value)) return "This must be a whole number.";
  return value < min || value > max ? `This must be from ${min} to ${max}.` : null;
}

export function Slider(
  props: Pick<NumberFieldProps, "label" | "value" | "onChange" | "min" | "max" | "disabled"> &
    Readonly<{ step: number; format?: (value: number) => string }>,
) {
  const { label, value, onChange, format = String, ...range } = props;
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

interface SelectOption<Value extends string> {
  readonly value: Value;
  readonly label: ReactNode;
  readonly note?: string;
}

interface SelectProps<Value extends string> extends FieldProps {
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  readonly options: readonly SelectOption<Value>[];
  readonly disabled?: boolean;
  readonly className?: string;
}

export function Select<Value extends string>(props: SelectProps<Value>) {
  const { value, onChange, options, disabled, className, ...field } = props;
  return (
    <Field {...field}>
      {(wiring) => (
        <Radix.Root
          value={value}
          onValueChange={(next) => onChange(next as Value)}
          disabled={disabled ?? false}
        >
          <Radix.Trigger {...wiring} className={cx(select.trigger, className)}>
            <Radix.Value />
            <Radix.Icon className={select.chevron}>
              <Icon name="chevron" size={14} />
            </Radix.Icon>
          </Radix.Trigger>
          <Radix.Portal>
            <Radix.Content className={select.list} position="popper" sideOffset={4} collisionPadding={8}>
              <Radix.Viewport>
                {options.map((option) => (
                  <Radix.Item key={option.value} value={option.value} className={select.item ?? ""}>
                    <Radix.ItemText>{option.label}</Radix.ItemText>
                    {option.note && <Note as="span">{option.note}</Note>}
                  </Radix.Item>
                ))}
              </Radix.Viewport>
            </Radix.Content>
          </Radix.Portal>
        </Radix.Root>
      )}
    </Field>
  );
}

interface ChoiceProps<Value extends string> {
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
      className={choice.row}
      aria-label={label}
      orientation="horizontal"
      value={value}
      onValueChange={(next) => onChange(next as Value)}
      disabled={disabled ?? false}
    >
      {Object.entries<ReactNode>(options).map(([name, words]) => (
        <RadioGroup.Item key={name} id={`${id}-${name}`} value={name} className={choice.option}>
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
    <fieldset className={choice.group} disabled={disabled} {...(hint ? { "aria-describedby": id } : {})}>
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
            className={choice.checksOption}
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
      <RadixSwitch.Root
        id={id}
        className={choice.track}
        checked={checked}
        onCheckedChange={onChange}
        disabled={disabled ?? false}
        {...(hint ? { "aria-describedby": `${id}-hint` } : {})}
      >
        <RadixSwitch.Thumb className={choice.thumb} />
      </RadixSwitch.Root>
      <div>
        <label htmlFor={id} className={choice.label}>
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
