/** @file What may become of a fact by hand: its value in the model's window, its layer among those that store. */

import type { LayerIndex } from "../../../records/ids.ts";
import type { FactRow } from "../../../records/notebook.ts";
import { staysText } from "../../facts/words.ts";
import { counted } from "../../format.ts";

/** Room in tokens as the model counts it; null while it has not been counted. */
export interface Counted {
  readonly text: string;
  readonly valueTokens: number;
  readonly room: number;
}

/** Why `draft` cannot be stored, as a sentence; null if it can. */
export function draftProblem(draft: string, tokens: Counted | null): string | null {
  if (draft.trim() === "") return "A fact needs words. To take it out of the memory, delete it.";
  if (tokens?.text === draft.trim() && tokens.valueTokens > tokens.room)
    return `${counted(tokens.valueTokens, "token")} do not fit: the window has room for ${tokens.room} behind the prompt. Shorten it.`;
  return null;
}

/** The changes; an empty object encodes the same fact again. */
export interface Change {
  readonly value?: string;
  readonly layer?: LayerIndex;
}

export function changeOf(
  { value, layer }: Pick<FactRow, "value" | "layer">,
  draft: string,
  chosen: LayerIndex,
): Change {
  const words = draft.trim();
  return { ...(words === value ? {} : { value: words }), ...(chosen === layer ? {} : { layer: chosen }) };
}

/**
 * A row with its value in words. For a memory without words it is the recalled value of an exact fact, known while the
 * page is open.
 */
export const inWords = (row: FactRow, said: string | null): FactRow =>
  row.value === null && row.exact ? { ...row, value: said } : row;

/** The change that restores `before`; null if nothing changed or the old words are unknown. */
export function backTo(before: FactRow, after: FactRow): Change | null {
  const layer = before.layer === after.layer ? {} : { layer: before.layer };
  if (before.value !== after.value) return before.value === null ? null : { value: before.value, ...layer };
  return before.layer === after.layer ? null : layer;
}

/** Layers that can store facts, of a model of `count` layers: all but the last, as src/memory/probe.ts has it. */
export const storingLayers = (count: number): readonly LayerIndex[] =>
  Array.from({ length: Math.max(count - 1, 1) }, (_, i) => i as LayerIndex);

/** The result of a change in words; `outdone` describes an encoding that was discarded because `after` is better. */
export function changeText(
  before: FactRow,
  after: FactRow,
  outdone?: Pick<FactRow, "exact" | "fidelity">,
): string {
  if (outdone) return staysText(after, outdone);
  const parts = [
    before.value === after.value ? "" : "new value",
    before.layer === after.layer ? "" : `layer ${before.layer} → ${after.layer}`,
  ].filter(Boolean);
  const how = after.exact
    ? `recalled exactly after ${counted(after.steps, "step")}`
    : "not recalled exactly; the difference is shown above";
  return `${parts.length > 0 ? `Encoded with ${parts.join(", ")}` : "Encoded again"}: ${how}.`;
}
