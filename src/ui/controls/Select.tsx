/** @file A choice of few named values. */

import { Select as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { cx, Text } from "./layout.tsx";
import { Field, type FieldProps } from "./Field.tsx";
import { Icon } from "./basics.tsx";
import s from "./Select.module.css";

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
          <Radix.Trigger {...wiring} className={cx(s.trigger, className)}>
            <Radix.Value />
            <Radix.Icon className={s.chevron}>
              <Icon name="chevron" size={14} />
            </Radix.Icon>
          </Radix.Trigger>
          <Radix.Portal>
            <Radix.Content className={s.list} position="popper" sideOffset={4} collisionPadding={8}>
              <Radix.Viewport>
                {options.map((option) => (
                  <Radix.Item key={option.value} value={option.value} className={s.item ?? ""}>
                    <Radix.ItemText>{option.label}</Radix.ItemText>
                    {option.note && (
                      <Text tone="soft" size="s">
                        {option.note}
                      </Text>
                    )}
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
