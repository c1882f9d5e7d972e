/** @file Running a model cell, and making sure that a cell's model is open before it asks for it. */

import { assert, present } from "../../lib/assert.ts";
import { modelCellFor, embedderCellFor, withEmbedder } from "../../notebook/kinds.ts";
import type { ModelCell } from "../../records/notebook.ts";
import type { OpenModel, ChooseEmbedder } from "../../service/types.ts";
import { problemOf, roleKey, type Core, type Role, type AppState, type Inspection } from "../core.ts";
import { clearRun, type RunContext, type Queue } from "../runs.ts";
import type { Call } from "../../rpc/wire.ts";
import { WRITER_FILE, type CachedModel, type LoadProgress } from "../../records/model.ts";
import { edit } from "../notebooks.ts";
import { refreshStorage } from "../memory.ts";
import type { EmbedderChoice } from "../../records/embedder.ts";

export async function runModel(context: RunContext): Promise<void> {
  await open(context, openArgument(context.core, context.core.cellOf(context.cellId, "model")));
}

/** Opens the model of the cell, unless it is open. @throws without a model cell, or if opening fails */
export async function ensureModel(context: RunContext): Promise<void> {
  const { core, cellId } = context;
  const cell = present(
    modelCellFor(core.notebookWith(cellId), cellId),
    () => "This notebook has no model cell. Add one above, and run again.",
  );
  const argument = openArgument(core, cell);
  const { opened } = core.tab;
  if (core.state.device.model && opened && sameModel(opened, argument)) return;
  await open({ ...context, cellId: cell.id }, argument);
  clearRun(core, cell.id);
}

export function isOpenFor(core: Core, cellId: string): boolean {
  const notebook = core.notebookOfCell(cellId);
  const cell = notebook && modelCellFor(notebook, cellId);
  const { opened, modelFiles } = core.tab;
  if (!cell || !opened || !core.state.device.model) return false;
  const given = modelFiles.get(cell.id);
  const backend = backendOf(core, cell.input);
  return sameModel(opened, { ...cell.input, backend, ...(given ? { files: given } : {}) });
}

export async function reopen(core: Core, argument: OpenModel): Promise<void> {
  const model = await core.engine.open(argument);
  core.tab.opened = argument;
  core.set(({ device }) => ({ device: { ...device, model, ledger: model.ledger } }));
}

function openArgument(core: Core, { id, input }: ModelCell): OpenModel {
  const files = core.tab.modelFiles.get(id);
  const token = core.tab.tokens.get(id);
  assert(
    input.source.kind !== "files" || files,
    () =>
      `The files of "${input.source.kind === "files" ? input.source.name : ""}" are read in place and not copied. ` +
      "Drop them on the model cell again.",
  );
  return {
    source: input.source,
    backend: backendOf(core, input),
    ...(input.precision ? { precision: input.precision } : {}),
    ...(files ? { files } : {}),
    ...(token ? { token } : {}),
  };
}

async function open({ core, cellId, signal, report }: RunContext, argument: OpenModel): Promise<void> {
  const since = core.deps.now();
  core.tab.opened = null;
  markGpuLoad(core, argument.backend !== "wasm" && core.state.device.survey?.webgpu != null);
  core.set(({ device }) => ({ device: { ...device, model: null, ledger: null, event: null } }));
  const model = await core.engine
    .open(argument, { signal, onProgress: (load) => report({ kind: "load", load }) })
    .finally(() => markGpuLoad(core, false));
  core.tab.opened = argument;
  core.set(({ device }) => ({ device: { ...device, model, ledger: model.ledger, cached: null } }));
  core.putOutput<"model">(cellId, () => ({ ...model, stamp: core.stamp(cellId, since) }));
}

/** In the settings of the tab while a model is loaded on a GPU; a page that the browser ends meanwhile finds it later. */
const GPU_LOAD = "palimpsest.gpu-load";

export const markGpuLoad = (core: Core, loading: boolean): void =>
  core.deps.session?.setItem(GPU_LOAD, loading ? "1" : "");

/** Phones with little memory end a page without an error, and load it again. */
export function noteEndedLoad(core: Core): void {
  if (core.deps.session?.getItem(GPU_LOAD) !== "1") return;
  markGpuLoad(core, false);
  core.tab.endedByGpu = true;
  core.set({ notice: ENDED_BY_GPU });
}

const ENDED_BY_GPU =
  "The browser ended this page while a model was loaded on the GPU, probably for want of memory. “Best backend” therefore means wasm in this tab. To try the GPU again, choose WebGPU in the model cell.";

const backendOf = (core: Core, { backend }: Pick<OpenModel, "backend">): OpenModel["backend"] =>
  backend === "auto" && core.tab.endedByGpu ? "wasm" : backend;

function sameModel(a: OpenModel, b: OpenModel): boolean {
  const same = ({ source, backend, precision }: OpenModel) => JSON.stringify([source, backend, precision]);
  return same(a) === same(b) && a.files === b.files;
}

export function modelActions(core: Core) {
  async function loadCachedModels(): Promise<void> {
    const cached = await core.engine.cachedModels(null);
    core.set(({ device }) => ({ device: { ...device, cached } }));
  }
  return {
    setModelFiles(id: string, name: string, files: ReadonlyMap<string, Blob>): void {
      core.tab.modelFiles.set(id, files);
      const { input } = core.cellOf(id, "model");
      edit(core, { kind: "input", id, input: { ...input, source: { kind: "files", name } } });
    },
    /** For gated repositories; kept in this tab's memory only. */
    setToken(id: string, token: string): void {
      if (token.trim()) core.tab.tokens.set(id, token.trim());
      else core.tab.tokens.delete(id);
    },
    /** The writer among dropped files of a model, if they have one. */
    writerOf: (id: string): Blob | undefined => core.tab.modelFiles.get(id)?.get(WRITER_FILE),
    tokenOf: (id: string): string => core.tab.tokens.get(id) ?? "",
    inspectModel: (id: string) => inspectModel(core, id),
    loadCachedModels,
    async removeCachedModel(copy: Pick<CachedModel, "repo" | "revision" | "onnx">): Promise<void> {
      await core.engine.removeCachedModel(copy);
      await loadCachedModels();
      await refreshStorage(core);
    },
    async refreshLedger(): Promise<void> {
      const ledger = await core.engine.ledger(null);
      core.set(({ device }) => ({ device: { ...device, ledger } }));
    },
  };
}

async function inspectModel(core: Core, id: string): Promise<void> {
  const put = (inspection: Inspection): void =>
    core.set(({ inspections }) => ({ inspections: { ...inspections, [id]: inspection } }));
  put({ status: "loading" });
  try {
    const cell = core.cellOf(id, "model");
    const listing = await core.engine.inspect(openArgument(core, cell));
    // An answer about a source that was changed meanwhile is stale.
    if (core.cellOf(id, "model").input.source === cell.input.source) put({ status: "ready", listing });
  } catch (error) {
    put({ status: "failed", problem: problemOf(error) });
  }
}

/** Opens the model and the text embedder of the cell, unless they are open. @throws without a model cell, or if opening fails */
export async function ensureEngine(context: RunContext): Promise<void> {
  await ensureModel(context);
  await ensureEmbedder(context);
}

async function runEmbedder(context: RunContext): Promise<void> {
  await ensureEmbedder(context);
  await showEmbedder(context.core);
}

async function ensureEmbedder(context: RunContext): Promise<void> {
  const { core, cellId } = context;
  const cell = embedderCellFor(core.notebookWith(cellId), cellId);
  await ensureRole(context, "embedder", cell?.id ?? "", cell?.input.embedder ?? null);
}

/** Opens the model that the cell `cellId` chose for a role, unless it is open; null closes it. @throws if opening fails */
export async function ensureRole(
  { core, signal, report }: RunContext,
  role: Role,
  cellId: string,
  choice: EmbedderChoice | null,
): Promise<void> {
  const argument = withFiles(core, role, cellId, choice);
  if (sameChoice(argument, core.tab.roles.get(role) ?? { choice: null })) return;
  const call: Call<LoadProgress> = { signal, onProgress: (load) => report({ kind: "load", load }) };
  let changed: Partial<AppState["device"]> = { cached: null };
  if (role === "embedder")
    changed = { ...changed, embedder: await core.engine.chooseEmbedder(argument, call) };
  else await core.engine.chooseHelper({ helper: role, ...argument }, call);
  core.tab.roles.set(role, argument);
  core.set(({ device }) => ({ device: { ...device, ...changed } }));
}

const IN_BENCHMARK = "the benchmark cell again, under its methods";
const ROLES: Readonly<Record<Role, readonly [name: string, where: string]>> = {
  embedder: ["text embedder", 'the memorise cell again, under "Text embedder"'],
  reranker: ["cross-encoder", IN_BENCHMARK],
  compressor: ["compressor", IN_BENCHMARK],
};

/** @throws when its files must be dropped again */
function withFiles(core: Core, role: Role, cellId: string, choice: EmbedderChoice | null): ChooseEmbedder {
  if (choice?.from.kind !== "files") return { choice };
  const { name } = choice.from;
  const [what, where] = ROLES[role];
  const files = core.tab.roleFiles.get(roleKey(cellId, role));
  assert(
    files,
    () => `The files of the ${what} "${name}" are read in place and not copied. Drop them on ${where}.`,
  );
  return { choice, files };
}

function sameChoice(a: ChooseEmbedder, b: ChooseEmbedder): boolean {
  const [one, other] = [a.choice, b.choice];
  return one === null || other === null
    ? one === other
    : JSON.stringify(Object.entries(one.from).sort()) === JSON.stringify(Object.entries(other.from).sort()) &&
        one.dtype === other.dtype &&
        one.device === other.device &&
        a.files === b.files;
}

/** Shows the embedder in use: the model's own cosine floor is known once it has embedded a text. */
async function showEmbedder(core: Core): Promise<void> {
  const embedder = await core.engine.embedder(null);
  core.set(({ device }) => ({ device: { ...device, embedder } }));
}

export const embedderActions = (core: Core, queue: Queue) => {
  function setEmbedder(id: string, choice: EmbedderChoice | null, files?: ReadonlyMap<string, Blob>): void {
    if (files) core.tab.roleFiles.set(roleKey(id, "embedder"), files);
    const { input } = core.cellOf(id, "memorize");
    edit(core, { kind: "input", id, input: withEmbedder(input, choice) });
  }
  return {
    setEmbedder,
    openEmbedder: (id: string): Promise<boolean> => queue.add(id, runEmbedder),
    showEmbedder: () => showEmbedder(core),
    /** Sets, for the cell `id`, the embedder that the memory was indexed by; whether that can be done, or a notice why not. */
    async takeMemorysEmbedder(id: string): Promise<boolean> {
      const { choiceNamed } = await import("../../records/embedder.ts");
      const name = core.state.memory.info?.embedder ?? "";
      const cell = embedderCellFor(core.notebook, id);
      const choice = choiceNamed(name);
      if (cell && choice !== undefined) setEmbedder(cell.id, choice);
      else core.set({ notice: cell ? `“${name}” is not a text embedder that this page can open.` : NO_CELL });
      return cell !== null && choice !== undefined;
    },
  };
};

const NO_CELL =
  "A text embedder is chosen in a memorise cell, and this notebook has none. Add one, and press again.";
