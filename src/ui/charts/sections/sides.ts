/** @file The memory of the open notebook, as its figures are made from it. */

import { curvesOf, type Curve } from "../../../figures/layers.ts";
import { useMemo } from "react";
import { UNREAD, type MemoryData } from "../../../figures/registry.ts";
import type { FactRow, Notebook, Stamp } from "../../../records/notebook.ts";
import type { ExtractionCounts } from "../../../records/trace.ts";
import { type MemoryHead, modelTag } from "../../../records/memory.ts";
import type { LibraryService } from "../../../service/library/libraryService.ts";
import { useActions, useApp, useNotebook } from "../../app.tsx";
import { useAsync, type AsyncState } from "../../controls/useAsync.tsx";
import { type Source, spreadIndices } from "../../../figures/figure.ts";
import { counted } from "../../format.ts";

export interface Side extends MemoryData {
  readonly memory: string;
  readonly readings: readonly ExtractionCounts[];
  /** Null for the facts of the saved example, whose vectors are not in this browser. */
  readonly info: MemoryHead | null;
}

export interface SectionProps {
  readonly side: Side;
  readonly cellId: string;
}

/** The memory of the open notebook; null while its facts are read. */
export function useOwnSide(): { readonly asked: AsyncState<unknown>; readonly side: Side | null } {
  const notebook = useNotebook();
  const facts = useApp(({ memory }) => memory.facts);
  const info = useApp(({ memory }) => memory.info);
  const saved = useApp(({ memory }) => memory.fromExample);
  const { loadFacts } = useActions();
  const asked = useAsync(() => loadFacts(), [loadFacts], { wanted: facts === null });
  const { id, title } = notebook;
  const made = madeBy(notebook);
  // Not by the notebook: it changes with every letter typed, and all figures would be drawn again.
  const side = useMemo(
    () => (facts && (info || saved) ? sideOf({ id, title, made }, facts, info) : null),
    [id, title, made, facts, info, saved],
  );
  return { asked, side };
}

export const madeBy = ({ cells }: Notebook) => cells.find((one) => one.kind === "memorize") ?? null;

export function sideOf(
  { id, title, made }: Pick<Notebook, "id" | "title"> & { readonly made: ReturnType<typeof madeBy> },
  facts: readonly FactRow[],
  info: MemoryHead | null,
): Side {
  const output = made?.output ?? null;
  const run = info ? memoryText(info, title) : `saved run of “${title}”`;
  return {
    ...{ memory: id, facts, info },
    ...UNREAD,
    readings: output?.extraction ?? [],
    layers: info?.layers ?? [...new Set(facts.map(({ layer }) => layer))].sort((a, b) => a - b),
    params: info?.params ?? made!.input.params,
    plan: output?.layerPlan ?? null,
    source: sourceOf(run, output?.stamp ?? null, info),
  };
}

function memoryText({ sources, facts }: MemoryHead, notebook: string): string {
  const titles = sources.map(({ title }) => `“${title}”`);
  return `“${notebook}”, memory of ${titles.slice(0, 3).join(", ")}${titles.length > 3 ? ", …" : ""}, ${counted(facts, "fact")}`;
}

/** The source of a memory's figures: its run's stamp, otherwise the memory's own record, if it is here. */
const sourceOf = (run: string, stamp: Stamp | null, info: MemoryHead | null): Source => ({
  run,
  at: stamp?.at ?? info?.sources.at(-1)?.memorizedAt ?? "",
  backend: stamp?.backend ?? "",
  model: stamp?.model ?? (info ? modelTag(info.model) : ""),
  app: stamp?.app ?? "",
});

export const spreadFacts = (facts: readonly FactRow[], count: number): FactRow[] =>
  spreadIndices(facts.length, count).map((i) => facts[i]!);

const CURVES = 400;

/** Losses of facts that are spread over a memory; null if they are not in this browser. */
export async function lossesOf(
  library: LibraryService,
  { memory, info, facts }: Pick<Side, "memory" | "info" | "facts">,
): Promise<Curve[] | null> {
  if (info === null) return null;
  const chosen = spreadFacts(facts, CURVES);
  return curvesOf(chosen, await library.curves({ memory, ids: chosen.map(({ id }) => id) }));
}
