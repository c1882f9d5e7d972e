/** @file A number chosen by hand on a scale, with its value beside it; a gate's threshold is lapis. */

import { Slider as Radix } from "radix-ui";
import { useId, type ReactNode } from "react";
import { cx } from "../cx.ts";
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
    <div className={s.field}>
      <span id={id} className={s.label}>
        {label}
      </span>
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
    </div>
  );
}
