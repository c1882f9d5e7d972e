/** @file How clearly a fact's own key won its gated read: its cosine, that of the runner-up, and what lies between. */

import type { FactId } from "./ids.ts";
import type { GatedRead, Reconstruction } from "./answer.ts";

/** Cosines of the own key and of the strongest other key of the layer; no other key: null. */
export interface KeyMargin {
  readonly own: number;
  readonly runnerUp: number | null;
}

/** own − runner-up; infinite where there was no other key. */
export const width = ({ own, runnerUp }: KeyMargin): number =>
  runnerUp === null ? Infinity : own - runnerUp;

/** The margin of one read; null where the key of part `part` of fact `id` is not among its strongest competitors. */
function marginOf({ competitors }: GatedRead, id: FactId, part: number): KeyMargin | null {
  const at = competitors.findIndex((one) => one.id === id && (one.part ?? 1) === part);
  if (at < 0) return null;
  const runnerUp = competitors.find((_, i) => i !== at);
  return { own: competitors[at]!.similarity, runnerUp: runnerUp?.similarity ?? null };
}

/** The narrowest margin among the vectors of `facts`, with the key of its fact; null where none is known. */
export function narrowest(facts: readonly Reconstruction[]): (KeyMargin & { readonly key: string }) | null {
  const margins = facts.flatMap(({ id, key, read, parts }) =>
    (parts ?? [{ part: 1, read }]).flatMap((one) => {
      const margin = marginOf(one.read, id, one.part);
      return margin ? [{ ...margin, key }] : [];
    }),
  );
  return margins.reduce<(KeyMargin & { key: string }) | null>(
    (least, margin) => (least === null || width(margin) < width(least) ? margin : least),
    null,
  );
}
