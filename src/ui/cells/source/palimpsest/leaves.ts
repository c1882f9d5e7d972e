/** @file The pieces of a palimpsest: stored sentences and gaps, in lines and leaves. */

import type { FactId } from "../../../../records/ids.ts";
import type { FactRow } from "../../../../records/notebook.ts";

export interface Span {
  readonly start: number;
  readonly end: number;
}
export type Gap = Span & { readonly kind: "gap"; readonly newLine?: boolean };
export type Recalled = Span & { readonly kind: "recalled"; readonly row: FactRow };
export type Segment = Gap | Recalled;

export type Leaf = { readonly key: number } & (
  | { readonly kind: "flow"; readonly segments: readonly Segment[] }
  | (Span & { readonly kind: "blank"; readonly lines: number })
);

export const factsOf = (rows: readonly FactRow[], documentId: string): readonly FactRow[] =>
  rows.filter((row) => row.documentId === documentId).toSorted((a, b) => a.offset - b.offset);

export const extentOf = ({ tokens }: Pick<FactRow, "tokens">) => Math.round(tokens * CHARACTERS_PER_TOKEN);

const CHARACTERS_PER_TOKEN = 3.5;

/** The fact at `offset`, or the next one if that was deleted. @param facts by offset */
export const factAt = (facts: readonly FactRow[], offset: number): FactRow | undefined =>
  facts.find((row) => row.offset >= offset);

/** Sentences and gaps that cover [0, characters). A fact takes the place of its original words if `words` has them. */
export function segmentsOf(
  rows: readonly FactRow[],
  characters: number,
  words: ReadonlyMap<FactId, string> = new Map(),
): Segment[] {
  const segments: Segment[] = [];
  let at = 0;
  const ordered = rows.toSorted((a, b) => a.offset - b.offset);
  for (const [i, row] of ordered.entries()) {
    const start = Math.max(at, row.offset);
    const known = words.get(row.id)?.length;
    const next = known === undefined ? (ordered[i + 1]?.offset ?? characters) : characters;
    const end = Math.max(start, Math.min(next, characters, row.offset + (known ?? extentOf(row))));
    if (start > at) segments.push({ kind: "gap", start: at, end: start });
    segments.push({ kind: "recalled", row, start, end });
    at = end;
  }
  if (at < characters) segments.push({ kind: "gap", start: at, end: characters });
  return withLines(segments, words);
}

/**
 * Marks the gaps in which a line ended, by guess, because the text is gone: around words without a stop (a heading, an item) and rows of
 * a table, and at two characters, unless two spaces part the sentences of this text.
 */
function withLines(segments: readonly Segment[], words: ReadonlyMap<FactId, string>): Segment[] {
  const said = (i: number): string => {
    const segment = segments[i];
    return (segment?.kind === "recalled" && words.get(segment.row.id)) || STOPPED;
  };
  const lengthOf = ({ kind, start, end }: Segment): number => (kind === "gap" ? end - start : 0);
  const singles = segments.filter((segment, i) => lengthOf(segment) === 1 && STOP.test(said(i - 1))).length;
  const doubles = segments.filter((segment, i) => lengthOf(segment) === 2 && STOP.test(said(i - 1))).length;
  return segments.map((segment, i) => {
    const length = lengthOf(segment);
    if (segment.kind !== "gap") return segment;
    const [before, after] = [said(i - 1), said(i + 1)];
    const newLine =
      !STOP.test(before) ||
      (ROW.test(before) && ROW.test(after)) ||
      (length > 1 && (!STOP.test(after) || ROW.test(before) || ROW.test(after))) ||
      (length === 2 && doubles < 2 * singles);
    return newLine ? { ...segment, newLine } : segment;
  });
}

/** Segments as leaves of bounded size. A long gap keeps a few lost words at both ends, with ruled lines between them. */
export function leavesOf(segments: readonly Segment[]): Leaf[] {
  const leaves: Leaf[] = [];
  let flow: Segment[] = [];
  const close = (): void => {
    if (flow.length > 0) leaves.push({ kind: "flow", key: flow[0]!.start, segments: flow });
    flow = [];
  };
  for (const segment of segments) {
    const length = segment.end - segment.start;
    if (segment.kind === "recalled" || length <= LONG_GAP) {
      flow.push(segment);
      // A line may end anywhere after lost text, but not directly after a sentence, where it would look like a line
      // break of the author.
      const mayEnd = segment.kind === "gap" && length > 1;
      if (flow.length >= (mayEnd ? LONG_FLOW : LONGEST_FLOW)) close();
      continue;
    }
    const { start, end } = segment;
    if (start > 0) flow.push({ kind: "gap", start, end: start + EDGE });
    close();
    leaves.push({ kind: "blank", key: start, start, end, lines: blankLines(length) });
    flow.push({ kind: "gap", start: end - EDGE, end });
  }
  close();
  return leaves;
}

/** Ruled lines for a gap: as many as it was long up to a few, then slower, so that a book stays a few screens. */
export function blankLines(characters: number): number {
  const lines = characters / LINE;
  return Math.min(MOST_LINES, Math.max(2, Math.round(lines <= 4 ? lines : 4 + Math.log2(lines / 4))));
}

export function leafAt(leaves: readonly Leaf[], offset: number): number {
  const index = leaves.findLastIndex(({ key }) => key <= offset);
  // A blank leaf begins before the flow that closes with its first words.
  const past = leaves[index + 1];
  const reaches =
    past?.kind === "flow" && past.segments.some(({ start, end }) => start <= offset && offset < end);
  return reaches ? index + 1 : Math.max(0, index);
}

const STOPPED = ".";
const STOP = /[.!?…。！？,;–—-]["'”’»)\]*_]*$/;
/** "Year 1913: …", as rows of tables are read. */
const ROW = /^[^.!?:]{1,80}: /;
export const LONGEST_MARK = 10;
const LONG_GAP = 420;
const LONG_FLOW = 24;
const LONGEST_FLOW = 40;
/** Characters of a long gap that share a line with the neighbouring sentences. */
const EDGE = 90;
const LINE = 80;
const MOST_LINES = 12;
