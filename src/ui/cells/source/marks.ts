/** @file The sentences and candidates of a kept text, and the reasons of the candidate filter as the reader shows them. */

import { once } from "../../../lib/promises.ts";
import type { DocumentId } from "../../../records/ids.ts";
import type { MethodParams } from "../../../records/params.ts";
import { reasonBit, type CandidateReason, type TextMarks } from "../../../records/source.ts";
import type { LibraryService } from "../../../service/library/libraryService.ts";
import { useServices } from "../../app.tsx";
import { useAsync, type Async } from "../../controls/useAsync.tsx";

export type Filter = MethodParams["candidateFilter"];

/** The newest few: marks of a long text take megabytes. */
const cache = new Map<string, Promise<TextMarks>>();
const KEPT = 12;

function marksOf(library: LibraryService, id: DocumentId, filter: Filter): Promise<TextMarks> {
  const asked = once(cache, `${id} ${filter}`, () => library.marks({ id, filter }));
  for (const old of [...cache.keys()].slice(0, Math.max(0, cache.size - KEPT))) cache.delete(old);
  return asked;
}

export function useMarks(id: DocumentId, filter: Filter, wanted: boolean): Async<TextMarks> {
  const { library } = useServices();
  return useAsync(() => marksOf(library(), id, filter), [library, id, filter], { wanted });
}

const STYLES = [
  { reason: "identifier", label: "Identifier", example: "a code, an address, a part number" },
  { reason: "numeral", label: "Number", example: "a year, an amount, a number word" },
  { reason: "entity", label: "Name", example: "a person, a place, a thing with a name" },
  { reason: "relation", label: "Relation", example: "“The office is north of the kitchen.”" },
  { reason: "other", label: "Other", example: "what only the filter of all sentences takes" },
] as const;

/** A sentence with several reasons takes the stroke of the first, the rarest. `bit`: in TextMarks.kinds. */
export const REASONS = STYLES.map((style) => ({ ...style, bit: reasonBit(style.reason) }));

export const ALL_REASONS = REASONS.reduce((bits, { bit }) => bits | bit, 0);

/** The stroke of a sentence: its first reason among those shown; null for none. */
export const strokeOf = (kinds: number, shown: number): CandidateReason | null =>
  REASONS.find(({ bit }) => kinds & shown & bit)?.reason ?? null;

export const reasonWords = (kinds: number): string =>
  REASONS.flatMap(({ bit, label }) => (kinds & bit ? label.toLowerCase() : [])).join(", ");

/** Counts of the marks in a text; a sentence with two reasons counts for both. */
export function countMarks({ kinds }: TextMarks) {
  const byReason = { entity: 0, numeral: 0, identifier: 0, relation: 0, other: 0 };
  for (const { reason, bit } of REASONS) for (const kind of kinds) if (kind & bit) byReason[reason]++;
  const candidates = kinds.reduce<number>((sum, kind) => sum + Number(kind !== 0), 0);
  return { sentences: kinds.length, candidates, byReason };
}
