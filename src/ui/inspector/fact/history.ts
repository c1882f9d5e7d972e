/** @file What happened to a fact, as far as the notebook knows: memorised, encoded again, recalled for questions, cited. */

import type { FactRow, Notebook } from "../../../records/notebook.ts";
import { outdone, ranOn, reencodings, shortOfOne } from "../../facts/words.ts";
import { count, counted } from "../../format.ts";
import { keyText } from "../../../records/fact.ts";
import { shownParts, shownText } from "../../../records/answer.ts";

export interface FactEvent {
  readonly kind: "memorised" | "encoded again" | "recalled" | "cited";
  /** ISO 8601; "" if unknown. */
  readonly at: string;
  readonly text: string;
  /** Where it ran, e.g. "palimpsest-6m@0a1b2c3d on wasm". */
  readonly ran: string;
  /** The cell that shows it; null if none does. */
  readonly cellId: string | null;
}

/** Newest first. */
export function historyOf(notebook: Notebook, row: FactRow): readonly FactEvent[] {
  return [memorised(notebook, row), ...reencoded(notebook, row), ...asked(notebook, row)].sort((a, b) =>
    b.at.localeCompare(a.at),
  );
}

/** The sentence as it was memorised, before any change that the notebook knows of; null where no words are kept. */
export function firstValue(notebook: Notebook, { id, value }: FactRow): string | null {
  return reencodings(notebook, id).at(-1)?.before.value ?? value;
}

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
      before.value === after.value ? "" : `“${before.value ?? ""}” became “${after.value ?? ""}”`,
      before.layer === after.layer ? "" : `layer ${before.layer} → ${after.layer}`,
      after.exact
        ? `exact after ${counted(after.steps, "step")}`
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

/** Steps of the vectors that stand, and apart from them those of tries that were given up, as far as they were counted. */
export const stepsText = ({ steps, givenUp = 0 }: Pick<FactRow, "steps" | "givenUp">): string =>
  givenUp === 0 ? count(steps) : `${count(steps)}, and ${count(givenUp)} in abandoned attempts`;

/** Note of a section that covers the first part only; null for a fact in one vector. */
export const firstPartOnly = ({ parts, tokens }: Parted, shown: string): string | null =>
  parts
    ? `Part 1 of ${count(parts.length)}: ${shown} of the first ${count(parts[0]!.tokens)} of ${counted(tokens, "token")}. The other parts have separate keys and are recalled in addition.`
    : null;
