/** @file A number on a slider, with its value; the threshold of a gate is lapis. */

import { Slider as Radix } from "radix-ui";
import { useId, type ReactNode } from "react";
import { cx } from "../cx.ts";
import { Grid, Text } from "./layout.tsx";
import s from "./Slider.module.css";

export function Slider({
  label,
  value,
  onChange,
  min,
  max,
  step,
  format = String,
  tone = "ink",
  disabled,
}: {
  readonly label: ReactNode;
  readonly value: number;
  readonly onChange: (value: number) => void;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly format?: (value: number) => string;
  readonly tone?: "ink" | "rubric" | "lapis";
  readonly disabled?: boolean;
}) {
  const id = useId();
  return (
    <Grid gap="0.2rem 0.75rem" columns="1fr auto">
      <Text id={id} tone="soft" size="s">
        {label}
      </Text>
      <output className={cx("num", s.value)}>{format(value)}</output>
      <Radix.Root
        className={cx(s.root, s[tone])}
        value={[value]}
        onValueChange={([next]) => {
          if (next !== undefined) onChange(next);
        }}
        min={min}
        max={max}
        step={step}
        disabled={disabled ?? false}
      >
        <Radix.Track className={s.track}>
          <Radix.Range className={s.range} />
        </Radix.Track>
        <Radix.Thumb className={s.thumb} aria-labelledby={id} aria-valuetext={format(value)} />
      </Radix.Root>
    </Grid>
  );
}
