/** @file On or off, at once. */

import { Switch as Radix } from "radix-ui";
import { useId, type ReactNode } from "react";
import { Row, Text } from "./layout.tsx";
import s from "./Switch.module.css";

export function Switch({
  label,
  hint,
  checked,
  onChange,
  disabled,
}: {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly disabled?: boolean;
}) {
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
