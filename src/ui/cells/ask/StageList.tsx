/** @file The four stages of a question, each with how it ended. */

import { cx } from "../../cx.ts";
import type { StageOutcome } from "./stages.ts";
import { Grid, Stack, Text } from "../../controls/layout.tsx";
import s from "./StageList.module.css";

const MARKS: Readonly<Record<StageOutcome["state"], string>> = {
  ok: "✓",
  warn: "~",
  failed: "✕",
  skipped: "–",
};
const SAID: Readonly<Record<StageOutcome["state"], string>> = {
  ok: "passed",
  warn: "passed with a remark",
  failed: "ended here",
  skipped: "not reached",
};

export function StageList({ stages }: { readonly stages: readonly StageOutcome[] }) {
  return (
    <Stack as="ol" plainList aria-label="Stages of the question">
      {stages.map(({ name, state, text }) => (
        <Grid
          as="li"
          key={name}
          gap="0.5rem"
          columns="1rem 7.5rem minmax(0, 1fr)"
          className={cx(s.stage, s[state])}
        >
          <span className={s.mark} aria-hidden="true">
            {MARKS[state]}
          </span>
          <span className={s.name}>
            {name}
            <span className="visually-hidden"> {SAID[state]}</span>
          </span>
          <Text tone="soft" className={s.text}>
            {text}
          </Text>
        </Grid>
      ))}
    </Stack>
  );
}
