/** @file A number on a slider, with its value; the threshold of a gate is lapis. */

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
  readonly tone?: "ink" | "lapis";
  readonly disabled?: boolean;
}) {
  const id = useId();
  return (
    <Grid gap="0.2rem 0.75rem" columns="1fr auto">
      <Text as="label" htmlFor={id} tone="soft" size="s">
        {label}
      </Text>
      <output className={cx("num", s.value)}>{format(value)}</output>
      <input
        id={id}
        type="range"
        className={cx(s.range, s[tone])}
        aria-valuetext={format(value)}
        {...{ value, min, max, step, disabled }}
        onChange={({ target }) => onChange(target.valueAsNumber)}
      />
    </Grid>
  );
}
