/** @file NoLiMa's "contains": the character's name, in its own case. */

import type { Scorer } from "./scorer.ts";

export const nolimaContains: Scorer = {
  upstream: "adobe-research/NoLiMa@7532e4e",
  score: (answer, { gold }) => Number(gold.some((name) => answer.includes(name))),
};
