/** @file The reasons of the candidate filter as the reader shows them: one stroke each, told apart without colour. */

import { reasonBit, type CandidateReason, type TextMarks } from "../../../../records/source.ts";

export interface ReasonStyle {
  readonly reason: CandidateReason;
  /** Bit of TextMarks.kinds. */
  readonly bit: number;
  readonly label: string;
  readonly example: string;
}

/** In the order in which a sentence with several reasons takes its stroke: the rarest first. */
export const REASONS: readonly ReasonStyle[] = [
  {
    reason: "identifier",
    bit: reasonBit("identifier"),
    label: "Identifier",
    example: "a code, an address, a part number",
  },
  {
    reason: "numeral",
    bit: reasonBit("numeral"),
    label: "Number",
    example: "a year, an amount, a number word",
  },
  {
    reason: "entity",
    bit: reasonBit("entity"),
    label: "Name",
    example: "a person, a place, a thing with a name",
  },
  {
    reason: "relation",
    bit: reasonBit("relation"),
    label: "Relation",
    example: "“The office is north of the kitchen.”",
  },
  {
    reason: "other",
    bit: reasonBit("other"),
    label: "Other",
    example: "what only the filter of all sentences takes",
  },
];

export const ALL_REASONS = REASONS.reduce((bits, { bit }) => bits | bit, 0);

/** The stroke of a sentence: its first reason among those that are shown; null for none. */
export function strokeOf(kinds: number, shown: number): CandidateReason | null {
  return REASONS.find(({ bit }) => kinds & shown & bit)?.reason ?? null;
}

/** All reasons of a sentence as words, e.g. "name, number". */
export const reasonWords = (kinds: number): string =>
  REASONS.filter(({ bit }) => kinds & bit)
    .map(({ label }) => label.toLowerCase())
    .join(", ");

export interface MarkCounts {
  readonly sentences: number;
  readonly candidates: number;
  /** Sentences by reason; one with two reasons counts for both. */
  readonly byReason: Readonly<Record<CandidateReason, number>>;
}

/** Counts of the marks in a text, for the legend. */
export function countMarks({ kinds }: TextMarks): MarkCounts {
  const byReason = { entity: 0, numeral: 0, identifier: 0, relation: 0, other: 0 };
  let candidates = 0;
  for (const kind of kinds) {
    if (kind === 0) continue;
    candidates++;
    for (const { reason, bit } of REASONS) if (kind & bit) byReason[reason]++;
  }
  return { sentences: kinds.length, candidates, byReason };
}
