/** @file Splits a block of text into paragraphs of runs of equal look: sentences, anchors and search hits may overlap. */

import type { FactRow } from "../../../../records/notebook.ts";
import { type TextMarks, reasonBit, type CandidateReason } from "../../../../records/source.ts";
import { extentOf, type Span } from "../palimpsest/leaves.ts";
import { once } from "../../../../lib/promises.ts";
import type { DocumentId } from "../../../../records/ids.ts";
import type { MethodParams } from "../../../../records/params.ts";
import type { LibraryService } from "../../../../service/library/libraryService.ts";
import { useServices } from "../../../app.tsx";
import { useAsync, type Async } from "../../../controls/useAsync.tsx";

export type Hit = Span;

export interface TextRun {
  readonly text: string;
  readonly start: number;
  readonly opens: boolean;
  /** Reasons of its sentence; 0 outside of candidates. */
  readonly kinds: number;
  readonly anchorOf: FactRow | null;
  readonly hit: number | null;
}

export interface Overlays {
  readonly marks: TextMarks | null;
  readonly facts: readonly FactRow[];
  readonly hits: readonly Hit[];
}

interface Mark extends Hit {
  readonly kinds?: number;
  readonly fact?: FactRow;
  readonly hit?: number;
}

/** The paragraphs of a block that starts at `start`; `wrapped`: it may flow, its line ends are those of a page. */
export function paragraphsOf(text: string, start: number, overlays: Overlays) {
  const marks = marksIn(text, start, overlays);
  return [...text.matchAll(PARAGRAPH)].map(({ index, 0: body }) => {
    const at = start + index;
    const here = marks.filter((mark) => mark.end > at && mark.start < at + body.length);
    return { start: at, wrapped: isWrapped(body, at, here), runs: cutRuns(body, at, here) };
  });
}

/** Without the white space around it; blank lines separate paragraphs. */
const PARAGRAPH = /\S.*?(?=\s*(?:\n[ \t\r]*\n|$))/gs;

function isWrapped(body: string, start: number, marks: readonly Mark[]): boolean {
  if (!/\n|\t| {2}/.test(body)) return true;
  const ends = [...body.matchAll(/\n/g)].map(({ index }) => start + index);
  return marks.some(
    (mark) => mark.kinds !== undefined && ends.some((at) => mark.start <= at && mark.end > at),
  );
}

function marksIn(text: string, start: number, { marks, facts, hits }: Overlays): readonly Mark[] {
  const end = start + text.length;
  const found: Mark[] = [];
  for (let i = marks?.ends.findIndex((at) => at > start) ?? -1; marks && marks.starts[i]! < end; i++)
    found.push({ start: marks.starts[i]!, end: marks.ends[i]!, kinds: marks.kinds[i]! });
  for (let i = hits.findIndex((hit) => hit.end > start); hits[i] && hits[i]!.start < end; i++)
    found.push({ ...hits[i]!, hit: i });
  for (const fact of facts) {
    if (fact.offset < start - LONGEST_SENTENCE || fact.offset >= end) continue;
    // An anchor that is spelled differently in the text is not drawn.
    const [from, to] = [Math.max(start, fact.offset), fact.offset + extentOf(fact)];
    const sentence = text.slice(from - start, Math.max(0, to - start)).toLowerCase();
    const at = from + sentence.indexOf(fact.anchor.toLowerCase());
    if (at >= from) found.push({ fact, start: at, end: at + fact.anchor.length });
  }
  return found;
}

function cutRuns(body: string, start: number, marks: readonly Mark[]): readonly TextRun[] {
  const end = start + body.length;
  const edges = new Set([start, end, ...marks.flatMap((mark) => [mark.start, mark.end])]);
  const cuts = [...edges].filter((at) => at >= start && at <= end).sort((a, b) => a - b);
  return cuts.slice(0, -1).map((at, i) => {
    const over = marks.filter((mark) => mark.start <= at && at < mark.end);
    const sentence = over.find(({ kinds }) => kinds !== undefined);
    return {
      text: body.slice(at - start, cuts[i + 1]! - start),
      start: at,
      opens: sentence?.start === at,
      kinds: sentence?.kinds ?? 0,
      anchorOf: over.find(({ fact }) => fact)?.fact ?? null,
      hit: over.find(({ hit }) => hit !== undefined)?.hit ?? null,
    };
  });
}

/** A fact this far before a block cannot reach into it; sentences are cut long before. */
const LONGEST_SENTENCE = 4_000;

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

export const strokeOf = (kinds: number, shown: number): CandidateReason | null =>
  REASONS.find(({ bit }) => kinds & shown & bit)?.reason ?? null;

export const reasonWords = (kinds: number): string =>
  REASONS.flatMap(({ bit, label }) => (kinds & bit ? label.toLowerCase() : [])).join(", ");

export function countMarks({ kinds }: TextMarks) {
  const byReason = { entity: 0, numeral: 0, identifier: 0, relation: 0, other: 0 };
  for (const { reason, bit } of REASONS) for (const kind of kinds) if (kind & bit) byReason[reason]++;
  const candidates = kinds.reduce<number>((sum, kind) => sum + Number(kind !== 0), 0);
  return { sentences: kinds.length, candidates, byReason };
}
