/** @file What the figures of a memory are made from, out of what the page knows of it. */

import type { Source } from "../../../figures/figure.ts";
import { spreadIndices } from "../../../figures/stats.ts";
import type { FactRow, Stamp } from "../../../records/notebook.ts";
import { counted } from "../../format.ts";
import { modelTag, type MemoryInfo } from "../../../records/memory.ts";

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

/** The run of facts that were saved with the notebook, whose memory is not here. */
export const savedSource = (run: string, stamp: Stamp | null): Source => ({
  run,
  at: stamp?.at ?? "",
  backend: stamp?.backend ?? "",
  model: stamp?.model ?? "",
  app: stamp?.app ?? "",
});

/** At most `count` facts, evenly spread. */
export const spreadFacts = (facts: readonly FactRow[], count: number): FactRow[] =>
  spreadIndices(facts.length, count).map((i) => facts[i]!);
