/** @file What the fact panel knows of its fact: its row, the facts next to it, its link, and the way to the model. */

import { useMemo } from "react";
import type { Source } from "../../../figures/figure.ts";
import { keyText } from "../../../records/fact.ts";
import type { FactId } from "../../../records/ids.ts";
import { modelTag } from "../../../records/memory.ts";
import type { Cell, FactRow, Notebook } from "../../../records/notebook.ts";
import { currentOf, useActions, useApp, useReadOnly } from "../../app.tsx";
import { useAsync } from "../../controls/useAsync.tsx";
import {
  compareBy,
  filterFacts,
  inSourceOrder,
  loadWordSearch,
  type FactView,
} from "../../facts/factColumns.tsx";
import { arranged } from "../../table/Table.tsx";
import { useAllSaid } from "../../facts/Recalled.tsx";
import { outdone, ranOn, reencodings, shortOfOne } from "../../facts/words.ts";
import { count, counted } from "../../format.ts";
import { shownParts, shownText } from "../../../records/answer.ts";

export function useFactOrder(id: FactId): readonly FactId[] {
  const rows = useApp(({ memory }) => memory.facts);
  const cells = useApp((state) => currentOf(state)?.notebook.cells);
  const store = cells?.find((cell) => cell.kind === "store");
  const table = store?.kind === "store" ? store.input : null;
  const wanted = table !== null && table.search.trim() !== "";
  const searches = useAsync(loadWordSearch, [], { wanted }).value;
  const view = wanted && !searches ? null : table;
  const said = useAllSaid();
  return useMemo(() => (rows && id ? factOrder(rows, view, id, said) : []), [rows, view, id, said]);
}

export type FactTools = ReturnType<typeof useFactTools>;

export function useFactTools(notebook: Notebook, row: FactRow) {
  const { ensureModel } = useActions();
  const model = useApp(({ device }) => device.model);
  const cellId = workingCell(notebook)?.id ?? "";
  return {
    notebook,
    row,
    memory: notebook.id,
    /** The cell in whose name the model is opened and the memory changed. */
    cellId,
    /** The memory cell, where certificates and changes are kept; null without one. */
    storeId: notebook.cells.find(({ kind }) => kind === "store")?.id ?? null,
    readOnly: useReadOnly(),
    /** The rows are those of the saved example: the memory itself is not here. */
    saved: useApp(({ memory }) => memory.fromExample),
    modelOpen: model !== null,
    openModel: () => ensureModel(cellId),
    source: (run: string): Source => ({
      run: `${run} of ${keyText(row)}`,
      at: new Date().toISOString(),
      backend: model?.device.backend ?? "",
      model: model ? modelTag(model.identity) : "",
      app: "",
    }),
  };
}

function workingCell({ cells }: Notebook): Cell | undefined {
  const kinds = ["store", "memorize", "ask", "model"] as const;
  return [...kinds.flatMap((kind) => cells.find((one) => one.kind === kind) ?? []), ...cells][0];
}

/** Ids in stepping order; `view` is ignored if it hides the fact `id`. A view with a search needs `loadWordSearch` first. */
export function factOrder(
  rows: readonly FactRow[],
  view: FactView | null,
  id: FactId,
  said: ReadonlyMap<FactId, string> | null = null,
): readonly FactId[] {
  if (last?.rows !== rows || last.view !== view || last.said !== said)
    last = { rows, view, said, ...lists(rows, view, said) };
  const { shown, ordered } = last;
  // The view does not hide a fact that was deleted.
  return shown.includes(id) || !ordered.includes(id) ? shown : ordered;
}

/** Cache of the last call: stepping through a large memory must not sort it again. */
let last: (ReturnType<typeof lists> & Record<"rows" | "view" | "said", unknown>) | null = null;

function lists(rows: readonly FactRow[], view: FactView | null, said: ReadonlyMap<FactId, string> | null) {
  const facts = inSourceOrder(rows);
  const ids = (list: readonly FactRow[]): readonly FactId[] => list.map((row) => row.id);
  const ordered = ids(facts);
  const shown = view ? arranged(filterFacts(facts, view), compareBy(view.sort, said), view.sort) : facts;
  return { ordered, shown: shown === facts ? ordered : ids(shown) };
}

/**
 * The fact one place further on (`by` 1) or back (-1); null beyond the ends, or if `id` was never listed.
 * @param before index of `id` before it was deleted, which its successor has now; -1 if it was never listed
 */
export function stepped(ids: readonly FactId[], id: FactId, by: 1 | -1, before = -1): FactId | null {
  const at = ids.indexOf(id);
  if (at >= 0) return ids[at + by] ?? null;
  if (before < 0) return null;
  // Several facts may have been deleted.
  const next = Math.min(before, ids.length);
  return ids[by > 0 ? next : next - 1] ?? null;
}

/** The `count` facts before and after one in its document, by offset. */
export function around(
  rows: readonly FactRow[],
  { id, documentId, offset }: Pick<FactRow, "id" | "documentId" | "offset">,
  count: number,
) {
  const near = rows
    .filter((row) => row.documentId === documentId && row.id !== id)
    .toSorted((a, b) => a.offset - b.offset);
  const split = near.findIndex((row) => row.offset > offset);
  const at = split < 0 ? near.length : split;
  return { before: near.slice(Math.max(0, at - count), at), after: near.slice(at, at + count) };
}

const LINK = "#fact=";

export const factHash = (id: FactId): string => `${LINK}${encodeURIComponent(id)}`;

export const isFactHash = (hash: string): boolean => hash.startsWith(LINK);

export function factOfHash(hash: string): FactId | null {
  if (!isFactHash(hash)) return null;
  try {
    const id = decodeURIComponent(hash.slice(LINK.length));
    return /^[^:]+:\d+$/.test(id) ? (id as FactId) : null;
  } catch {
    return null; // a broken escape
  }
}

interface FactEvent {
  readonly kind: "memorised" | "encoded again" | "recalled" | "cited";
  /** ISO 8601; "" if unknown. */
  readonly at: string;
  readonly text: string;
  readonly ran: string;
  /** The cell that shows it; null if none does. */
  readonly cellId: string | null;
}

export const historyOf = (notebook: Notebook, row: FactRow): readonly FactEvent[] =>
  [memorised(notebook, row), ...reencoded(notebook, row), ...asked(notebook, row)].sort((a, b) =>
    b.at.localeCompare(a.at),
  );

/** The sentence as it was memorised, before any change that the notebook has the words of. */
export const firstValue = (notebook: Notebook, { id }: Pick<FactRow, "id">): string | null =>
  reencodings(notebook, id).at(-1)?.before.value ?? null;

function memorised({ cells }: Notebook, { documentId, memorizedAt }: FactRow): FactEvent {
  const cell = cells.find(
    (one) => one.kind === "memorize" && one.output?.sources.some(({ id }) => id === documentId),
  );
  const { preset } = cell?.kind === "memorize" ? cell.input.params : {};
  return {
    kind: "memorised",
    at: memorizedAt,
    text: preset ? `from its text, with the ${preset} preset` : "from its text",
    ran: cell?.kind === "memorize" && cell.output ? ranOn(cell.output.stamp) : "",
    cellId: cell?.id ?? null,
  };
}

function reencoded(notebook: Notebook, row: FactRow): FactEvent[] {
  const stayed = outdone(notebook, row).length;
  return reencodings(notebook, row.id).map(({ before, after, stamp }, i) => ({
    kind: "encoded again",
    at: stamp.at,
    text: [
      before.value === after.value
        ? ""
        : `${before.value === null ? "its value" : `“${before.value}”`} became “${after.value ?? ""}”`,
      before.layer === after.layer ? "" : `layer ${before.layer} → ${after.layer}`,
      after.exact
        ? `exact${after.steps > 0 ? ` after ${counted(after.steps, "step")}` : ""}`
        : `inexact, F1 ${shortOfOne(after.fidelity)}`,
      i < stayed ? "the earlier vector was better and stays" : "",
    ]
      .filter(Boolean)
      .join(", "),
    ran: ranOn(stamp),
    cellId: null,
  }));
}

function asked({ cells }: Notebook, row: FactRow): FactEvent[] {
  const exchanges = cells.flatMap((cell) =>
    cell.kind === "ask" ? (cell.output?.history ?? []).map((one) => ({ ...one, cellId: cell.id })) : [],
  );
  return exchanges.flatMap(({ answer, stamp, cellId }): FactEvent[] => {
    const recalled = answer.recalled.find(({ id }) => id === row.id);
    if (!recalled) return [];
    // Words that the page did not show as an answer cite nothing.
    const citing = shownParts(answer).filter(({ cited }) => cited.includes(keyText(row)));
    const gate = recalled.read.gateOpen ? "" : "; its gate stayed shut";
    const isCited = citing.length > 0;
    const how = isCited
      ? `: ${citing.map((part) => shownText(part, answer)).join(" ")}`
      : `, and not cited${gate}`;
    const text = `for “${answer.question}”${how}`;
    return [{ kind: isCited ? "cited" : "recalled", at: stamp.at, text, ran: ranOn(stamp), cellId }];
  });
}

type Parted = Pick<FactRow, "parts" | "tokens">;

export const storedIn = ({ parts }: Parted): string | null =>
  parts ? `in ${counted(parts.length, "part")}, a vector each` : null;

export const stepsText = ({ steps, givenUp = 0 }: Pick<FactRow, "steps" | "givenUp">): string =>
  givenUp === 0 ? count(steps) : `${count(steps)}, and ${count(givenUp)} in abandoned attempts`;

/** Note of a section that covers the first part only; null for a fact in one vector. */
export const firstPartOnly = ({ parts, tokens }: Parted, shown: string): string | null =>
  parts
    ? `Part 1 of ${count(parts.length)}: ${shown} of the first ${count(parts[0]!.tokens)} of ${counted(tokens, "token")}. The other parts have separate keys and are recalled in addition.`
    : null;
