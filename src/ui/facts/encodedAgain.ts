/** @file What became of a fact that was encoded again: the new vector is stored, or the earlier one was better and stays. */

import type { FactId } from "../../records/ids.ts";
import type { FactRow, Notebook, Reencoding, Stamp } from "../../records/notebook.ts";
import { counted } from "../format.ts";
import { shortOfOne } from "./words.ts";

type Outcome = Pick<FactRow, "exact" | "fidelity">;

/** Newest first, as the memory cells keep them. */
export const reencodings = (notebook: Notebook, id: FactId): readonly (Reencoding & { stamp: Stamp })[] =>
  notebook.cells
    .flatMap((cell) => (cell.kind === "store" ? (cell.output?.reencodings ?? []) : []))
    .filter((made) => made.id === id);

/** The words that stood in the text, of facts that were given other ones by hand since; none of a memory without words. */
export function rewritten(notebook: Notebook, rows: readonly FactRow[]): ReadonlyMap<FactId, string> {
  return new Map(
    rows.flatMap(({ id, value }) => {
      const first = reencodings(notebook, id).at(-1)?.before.value;
      return first && value !== null && first !== value ? [[id, first]] : [];
    }),
  );
}

/**
 * The leading ones of {@link reencodings} that changed nothing: each was worse than what `row` stores at the same layer
 * for the same value. How an older one compared is not known.
 */
export function outdone(notebook: Notebook, row: FactRow): readonly Reencoding[] {
  const made = reencodings(notebook, row.id);
  const first = made.findIndex(
    ({ before, after, stamp }) =>
      before.value !== after.value ||
      before.layer !== after.layer ||
      stamp.at < row.memorizedAt ||
      !better(row, after),
  );
  return first < 0 ? made : made.slice(0, first);
}

/** Fidelities may have been rounded where they were stored. */
const ROUNDING = 1e-6;

const better = (a: Outcome, b: Outcome): boolean =>
  a.exact === b.exact ? a.fidelity - b.fidelity > ROUNDING : a.exact;

/** "The earlier vector was better (F1 0.50 against 0.43) and stays." */
export function staysText(stored: Outcome, made: Outcome): string {
  return `The earlier vector was better (${comparison(stored, made)}) and stays.`;
}

function comparison(stored: Outcome, made: Outcome): string {
  if (stored.exact) return `exact against F1 ${shortOfOne(made.fidelity)}`;
  const [a, b] = [shortOfOne(stored.fidelity), shortOfOne(made.fidelity)];
  return a === b
    ? `F1 ${stored.fidelity.toFixed(4)} against ${made.fidelity.toFixed(4)}`
    : `F1 ${a} against ${b}`;
}

/** What encoding `rows` again did, as they are stored since: "3 facts encoded again. For 1 of them …". */
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
