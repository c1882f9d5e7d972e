/** @file What the figures of a memory are made from, out of what the page knows of it. */

import type { Source } from "../../../figures/figure.ts";
import { spreadIndices } from "../../../figures/stats.ts";
import type { FactRow, Stamp } from "../../../records/notebook.ts";
import type { MemoryInfo } from "../../../rpc/protocol.ts";
import { counted } from "../../format.ts";
import { modelTag } from "../../../records/memory.ts";

/** The run a memory's figures come from: the stamp where there is one, else what the memory says of itself. */
export function memorySource(
  { model, sources, facts }: MemoryInfo,
  stamp: Stamp | null,
  notebook: string,
): Source {
  const titles = sources.map(({ title }) => `“${title}”`);
  const run = `“${notebook}”, memory of ${titles.slice(0, 3).join(", ")}${titles.length > 3 ? ", …" : ""}, ${counted(facts, "fact")}`;
  return {
    run,
    at: stamp?.at ?? sources.at(-1)?.memorizedAt ?? "",
    backend: stamp?.backend ?? "",
    model: stamp?.model ?? modelTag(model),
    app: stamp?.app ?? "",
  };
}

/** ι(e): anchors in the order of their first fact, by document in stored order and place in it. */
export function anchorOrders(
  facts: readonly Pick<FactRow, "anchor" | "documentId" | "offset">[],
): ReadonlyMap<string, number> {
  const documents = new Map<string, number>();
  for (const { documentId } of facts)
    if (!documents.has(documentId)) documents.set(documentId, documents.size);
  const sorted = facts.toSorted(
    (a, b) => documents.get(a.documentId)! - documents.get(b.documentId)! || a.offset - b.offset,
  );
  const orders = new Map<string, number>();
  for (const { anchor } of sorted) if (!orders.has(anchor)) orders.set(anchor, orders.size);
  return orders;
}

/** At most `count` facts, evenly spread. */
export const spreadFacts = (facts: readonly FactRow[], count: number): FactRow[] =>
  spreadIndices(facts.length, count).map((i) => facts[i]!);
