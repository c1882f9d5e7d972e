/** @file The memories whose figures are shown: the open notebook's, and perhaps another one of this browser. */

import { curvesOf, type Curve } from "../../../figures/layers.ts";
import { useMemo } from "react";
import { readNotebook } from "../../../notebook/file.ts";
import { UNREAD, type MemoryData } from "../../../figures/registry.ts";
import type { LayerIndex } from "../../../records/ids.ts";
import type { FactRow, Notebook, Stamp } from "../../../records/notebook.ts";
import type { ExtractionCounts } from "../../../records/trace.ts";
import { type MemoryHead, modelTag } from "../../../records/memory.ts";
import type { LibraryService, NotebookInfo } from "../../../service/library/libraryService.ts";
import { useActions, useApp, useNotebook, useServices } from "../../app.tsx";
import { useAsync, type AsyncState } from "../../controls/useAsync.tsx";
import { largest } from "../kit/scale.ts";
import { type Source, spreadIndices } from "../../../figures/figure.ts";
import { counted } from "../../format.ts";

export interface Side extends MemoryData {
  readonly memory: string;
  readonly name: string;
  readonly other: boolean;
  readonly readings: readonly ExtractionCounts[];
  /** Null for the facts of the saved example, whose vectors are not in this browser. */
  readonly info: MemoryHead | null;
}

export interface SectionProps {
  readonly sides: readonly [Side] | readonly [Side, Side];
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
    () => (facts && (info || saved) ? sideOf({ id, title, made }, facts, info, false) : null),
    [id, title, made, facts, info, saved],
  );
  return { asked, side };
}

/** The memory of another notebook; reads nothing while `id` is null. */
export function useOtherSide(id: string | null): AsyncState<Side> {
  const { library } = useServices();
  return useAsync(() => readSide(library(), id!), [library, id], { wanted: id !== null });
}

async function readSide(library: LibraryService, id: string): Promise<Side> {
  const [saved, info, facts] = await Promise.all([
    library.loadNotebook({ id }),
    library.memoryInfo({ memory: id }),
    library.facts({ memory: id }),
  ]);
  if (!saved || !info) throw new Error("ui: the memory to compare with was deleted; choose another one");
  const notebook = readNotebook(saved.body);
  return sideOf({ ...notebook, made: madeBy(notebook) }, facts, info, true);
}

export const madeBy = ({ cells }: Notebook) => cells.find((one) => one.kind === "memorize") ?? null;

export function sideOf(
  { id, title, made }: Pick<Notebook, "id" | "title"> & { readonly made: ReturnType<typeof madeBy> },
  facts: readonly FactRow[],
  info: MemoryHead | null,
  other: boolean,
): Side {
  const output = made?.output ?? null;
  const run = info ? memoryText(info, title) : `saved run of “${title}”`;
  return {
    ...{ memory: id, name: title, other, facts, info },
    ...UNREAD,
    readings: output?.extraction ?? [],
    layers: info?.layers ?? [...new Set(facts.map(({ layer }) => layer))].sort((a, b) => a - b),
    params: info?.params ?? made!.input.params,
    plan: output?.layerPlan ?? null,
    source: sourceOf(run, output?.stamp ?? null, info),
  };
}

/** The other memories of this browser, newest first; null while they are read. */
export function useOtherMemories() {
  const { library } = useServices();
  const list = useApp((state) => state.list);
  const own = useNotebook().id;
  // The list is a new object at every save: read again only if ids or titles change.
  const names = list.map(({ id, title }) => `${id} ${title}`).join("\n");
  const look = async ({ id, title }: NotebookInfo) => {
    const info = await library()
      .memoryInfo({ memory: id })
      .catch(() => null);
    return info && info.facts > 0 ? [{ id, title, facts: info.facts, model: info.model.name }] : [];
  };
  const others = list.filter(({ id }) => id !== own);
  const ask = async () => (await Promise.all(others.map(look))).flat();
  return useAsync(ask, [library, own, names], { keep: true }).value;
}

export function onOneScale(a: Side, b: Side): [Side, Side] {
  const reach = largest([...a.facts, ...b.facts], ({ steps }) => steps);
  const scaled = (side: Side): Side => ({ ...side, reach });
  return [scaled(a), scaled(b)];
}

export const layersOf = (sides: readonly Side[]): LayerIndex[] =>
  [...new Set(sides.flatMap(({ layers }) => layers))].sort((a, b) => a - b);

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
