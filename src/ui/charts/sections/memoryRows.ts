/** @file The source line of a memory's figures, and samples of its facts. */

import type { Source } from "../../../figures/figure.ts";
import { spreadIndices } from "../../../figures/stats.ts";
import type { FactRow, Stamp } from "../../../records/notebook.ts";
import { counted } from "../../format.ts";
import { modelTag, type MemoryHead } from "../../../records/memory.ts";

/** The source of a memory's figures: its run's stamp, otherwise the memory's own record. */
export function memorySource(
  { model, sources, facts }: MemoryHead,
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

/** The source of facts that were saved with the notebook without their memory. */
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
