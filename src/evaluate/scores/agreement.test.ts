/** @file Scorers against answers that somebody who had not read them judged by hand, from the benchmarks' own rules. */

import { describe, expect, test } from "vitest";
import { SCORERS, SCORER_NAMES, type ScorerName } from "./scorers.ts";
import { HARNESS, RULER, SUBSTRING } from "./testing/containingAnswers.ts";
import { F1 } from "./testing/f1Answers.ts";
import type { Judged } from "./testing/judged.ts";
import { NOLIMA } from "./testing/nameAnswers.ts";
import { ROUGE } from "./testing/rougeAnswers.ts";
import { STRICT } from "./testing/strictAnswers.ts";

const JUDGED: Readonly<Record<ScorerName, readonly Judged[]>> = {
  "babilong-strict": STRICT,
  "babilong-substring": SUBSTRING,
  "babilong-harness": HARNESS,
  "ruler-part": RULER,
  "nolima-contains": NOLIMA,
  "longbench-f1": F1,
  "rouge-l": ROUGE,
};

/** Fractions are compared to nine decimals. */
const rounded = (score: number | null) => (score === null ? null : Math.round(score * 1e9) / 1e9);

describe.each(SCORER_NAMES)("%s agrees with a reader of its rule", (name) => {
  for (const { answers, ...target } of JUDGED[name])
    for (const [answer, score, why] of answers)
      test(`${JSON.stringify(answer)} for ${target.gold.join(" or ")}${why ? `: ${why}` : ""}`, () => {
        expect(rounded(SCORERS[name].score(answer, target))).toBe(rounded(score));
      });
});
