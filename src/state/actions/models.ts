/** @file Models: which files, what they take, what the cache and the device hold. */

import type { CachedModel } from "../../records/model.ts";
import { edit } from "../notebooks.ts";
import { cellOf, problemOf, set, type Core } from "../core.ts";
import { openArgument } from "../run/model.ts";
import type { Inspection } from "../types.ts";
import { refreshStorage } from "./storage.ts";

export function modelActions(core: Core) {
  async function loadCachedModels(): Promise<void> {
    const cached = await core.engine().cachedModels(null);
    set(core, ({ device }) => ({ device: { ...device, cached } }));
  }
  return {
    /** Files that were dropped on a model cell; they are read in place. */
    setModelFiles(id: string, name: string, files: ReadonlyMap<string, Blob>): void {
      core.tab.modelFiles.set(id, files);
      const { input } = cellOf(core, id, "model");
      edit(core, { kind: "input", id, input: { ...input, source: { kind: "files", name } } });
    },
    /** For gated repositories; kept in this tab's memory only. */
    setToken(id: string, token: string): void {
      if (token) core.tab.tokens.set(id, token);
      else core.tab.tokens.delete(id);
    },
    /** What {@link setToken} was given last; empty without any. */
    tokenOf: (id: string): string => core.tab.tokens.get(id) ?? "",
    inspectModel: (id: string) => inspectModel(core, id),
    loadCachedModels,
    async removeCachedModel(copy: Pick<CachedModel, "repo" | "revision" | "onnx">): Promise<void> {
      await core.engine().removeCachedModel(copy);
      await loadCachedModels();
      await refreshStorage(core);
    },
    async refreshLedger(): Promise<void> {
      const ledger = await core.engine().ledger(null);
      set(core, ({ device }) => ({ device: { ...device, ledger } }));
    },
  };
}

/** Lists a model's files, sizes and fit before anything is fetched. */
async function inspectModel(core: Core, id: string): Promise<void> {
  const put = (inspection: Inspection): void =>
    set(core, ({ inspections }) => ({ inspections: { ...inspections, [id]: inspection } }));
  put({ status: "loading" });
  try {
    const cell = cellOf(core, id, "model");
    const listing = await core.engine().inspect(openArgument(core, cell));
    // An answer about a source that was changed meanwhile is stale.
    if (cellOf(core, id, "model").input.source === cell.input.source) put({ status: "ready", listing });
  } catch (error) {
    put({ status: "failed", problem: problemOf(error) });
  }
}
