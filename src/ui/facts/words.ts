/** @file How runs, gates, fidelities and sizes of memories are called. */

import type { MemoryBytes } from "../../records/bytes.ts";
import type { MemoryHead } from "../../records/memory.ts";
import type { FactRow, Notebook, Reencoding, Stamp } from "../../records/notebook.ts";
import { bytes, count, counted } from "../format.ts";
import { keyText, type FactKey } from "../../records/fact.ts";
import type { Column } from "../table/Table.tsx";
import type { FactId } from "../../records/ids.ts";
import { wasRead, width, type Reconstruction, type KeyMargin } from "../../records/answer.ts";

export const ASKING_SOFT = "Asking the soft read again";

export const interruptedText = ({ pending, facts }: Pick<MemoryHead, "pending" | "facts">): string =>
  `${counted(pending, "fact waits", "facts wait")} to be encoded, and words are kept until then; ` +
  `${counted(facts, "fact is", "facts are")} safe in the memory.`;

/** "palimpsest-6m@0a1b2c3d on wasm"; empty if no model took part. */
export const ranOn = ({ model, backend }: Pick<Stamp, "model" | "backend">): string =>
  [model, backend && `on ${backend}`].filter(Boolean).join(" ");

/** A fidelity with two digits, never 1.00: all tokens in another order are not exact. */
export const shortOfOne = (fidelity: number) => Math.min(0.99, Math.floor(fidelity * 100) / 100).toFixed(2);

export const meanFidelityText = (fidelity: number | null, exact: number, facts: number): string =>
  fidelity === null || facts === 0 ? "–" : exact === facts ? "1.00" : shortOfOne(fidelity);

/** The size of a memory in words. @param pending facts that wait to be encoded, whose words are stored until then */
export function keptText({ text, vectors, index, perFact }: MemoryBytes, pending = 0): string {
  const words =
    pending === 0
      ? "no sentence is stored"
      : `the words of ${counted(pending, "fact")} are stored until they are encoded, no other sentence is`;
  return (
    `${words}: of ${bytes(text)} of text it keeps ${bytes(vectors)} of stored vectors and ` +
    `${bytes(index)} of routing index, ${bytes(Math.round(perFact))} per fact`
  );
}

export const partKey = <Part extends { readonly part: number }>({
  anchor,
  index,
}: FactKey): Column<Part> => ({
  id: "key",
  label: "Key κ",
  look: "key",
  names: true,
  cell: ({ part }) => keyText({ anchor, index, part }),
});

/** A key alone, "Mary (1)", would read like a number of facts. */
export const factsInWords = (rows: readonly FactRow[]): string =>
  rows.length === 1 ? `Fact ${rows[0]!.index} about ${rows[0]!.anchor}` : counted(rows.length, "fact");

/** The choices for a selection, the smallest first; those that would delete the same facts are listed once. */
export function deletionChoices(
  selected: readonly FactRow[],
  all: readonly FactRow[],
  titleOf: (documentId: string) => string,
) {
  const by = (
    field: "anchor" | "documentId",
    of: string,
    what: string,
    nameOf: (value: string) => string,
  ) => {
    const values = new Set<string>(selected.map((row) => row[field]));
    const rows = all.filter((row) => values.has(row[field]));
    const [first = ""] = values;
    const name = values.size === 1 ? nameOf(first) : counted(values.size, what);
    return { label: `All ${counted(rows.length, "fact")} ${of} ${name}`, rows };
  };
  return [
    {
      label: selected.length === 1 ? "Only this fact" : `The ${count(selected.length)} selected facts`,
      rows: selected,
    },
    by("anchor", "about", "name", (anchor) => anchor),
    by("documentId", "from", "text", (id) => `“${titleOf(id)}”`),
  ]
    .filter(({ rows }, i, choices) => !choices.slice(0, i).some((earlier) => sameFacts(earlier.rows, rows)))
    .map(({ label, rows }) => ({ label, ids: rows.map(({ id }) => id) }));
}

function sameFacts(a: readonly FactRow[], b: readonly FactRow[]): boolean {
  const ids = new Set(a.map(({ id }) => id));
  return a.length === b.length && b.every(({ id }) => ids.has(id));
}

type Outcome = Pick<FactRow, "exact" | "fidelity">;

export const reencodings = (notebook: Notebook, id: FactId): readonly (Reencoding & { stamp: Stamp })[] =>
  notebook.cells
    .flatMap((cell) => (cell.kind === "store" ? (cell.output?.reencodings ?? []) : []))
    .filter((made) => made.id === id);

/** The original words of facts that were edited since, as far as the notebook has them. */
export const rewritten = (notebook: Notebook, rows: readonly FactRow[]): ReadonlyMap<FactId, string> =>
  new Map(
    rows.flatMap(({ id }) => {
      const made = reencodings(notebook, id);
      const [first, last] = [made.at(-1)?.before.value, made[0]?.after.value];
      return first && last && first !== last ? [[id, first]] : [];
    }),
  );

/** The latest {@link reencodings} that changed nothing, because the result was worse than `row`. */
export function outdone(notebook: Notebook, row: FactRow): readonly Reencoding[] {
  const made = reencodings(notebook, row.id);
  const first = made.findIndex(
    ({ before, after, stamp }) =>
      before.value !== after.value ||
      before.layer !== after.layer ||
      stamp.at < row.memorizedAt ||
      !(row.exact === after.exact ? row.fidelity - after.fidelity > ROUNDING : row.exact),
  );
  return first < 0 ? made : made.slice(0, first);
}

const ROUNDING = 1e-6;

export function staysText(stored: Outcome, made: Outcome): string {
  const [a, b] = [shortOfOne(stored.fidelity), shortOfOne(made.fidelity)];
  // Two digits may not tell them apart.
  const digits = `F1 ${stored.fidelity.toFixed(4)} against ${made.fidelity.toFixed(4)}`;
  const inexact = a === b ? digits : `F1 ${a} against ${b}`;
  return `The earlier vector was better (${stored.exact ? `exact against F1 ${b}` : inexact}) and stays.`;
}

export function encodedAgainText(notebook: Notebook, rows: readonly FactRow[]): string {
  const stay = rows.flatMap((row) => {
    const [newest] = outdone(notebook, row);
    return newest ? [staysText(row, newest.after)] : [];
  });
  if (rows.length === 1 && stay.length === 1) return stay[0]!;
  const done = `${counted(rows.length, "fact")} encoded again.`;
  if (stay.length === 0) return done;
  const which = stay.length === rows.length ? "all" : String(stay.length);
  return `${done} For ${which} of them the earlier vector was better and stays.`;
}

export interface DocumentInfo {
  readonly title: string;
  readonly kept: boolean;
}

/** By document id: what the source cells list, and what was memorised before or imported. */
export function documentsOf(notebook: Notebook, info: MemoryHead | null): ReadonlyMap<string, DocumentInfo> {
  const found = new Map<string, DocumentInfo>();
  for (const { id, title } of info?.sources ?? []) found.set(id, { title, kept: false });
  for (const cell of notebook.cells)
    if (cell.kind === "source")
      for (const { id, title, kept } of cell.input.documents) found.set(id, { title, kept });
  return found;
}

export function marginText(margin: KeyMargin): string {
  if (margin.runnerUp === null) return `own ${cosine(margin.own)}, no other key at its layer`;
  return `own ${cosine(margin.own)}, runner-up ${cosine(margin.runnerUp)}, margin ${small(width(margin))}`;
}

export const small = (value: number): string => (value === 0 ? "0" : String(Number(value.toPrecision(2))));

/** A cosine with three digits; 1.000 only if it differs from 1 by rounding alone. */
export const cosine = (similarity: number): string =>
  (similarity > 1 - 1e-5 ? 1 : Math.min(0.999, similarity)).toFixed(3);

export type GateState = "open" | "closed" | "another key won";

export const GATE_WORDS: Readonly<Record<GateState, string>> = {
  open: "gate open",
  closed: "gate closed",
  "another key won": "another key won",
};

export function gateState(fact: Pick<Reconstruction, "read">): GateState {
  if (wasRead(fact)) return "open";
  return fact.read.gateOpen ? "another key won" : "closed";
}
