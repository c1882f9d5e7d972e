/** @file Running a model cell, and making sure that a cell's model is open before it asks for it. */

import { assert, present } from "../../lib/assert.ts";
import { modelCellFor } from "../../notebook/stale.ts";
import type { ModelCell } from "../../records/notebook.ts";
import type { OpenModel } from "../../rpc/protocol.ts";
import { cellOf, get, notebookOfCell, putOutput, set, stamp, type Core } from "../core.ts";
import { clearRun, type RunContext } from "../runs.ts";

/** What cannot be saved with a notebook: dropped files, and tokens of gated repositories. */
export interface ModelSecrets {
  readonly files: Map<string, ReadonlyMap<string, Blob>>;
  readonly tokens: Map<string, string>;
  /** What the engine has open now, as it was asked for. */
  opened: OpenModel | null;
}

export const createSecrets = (): ModelSecrets => ({ files: new Map(), tokens: new Map(), opened: null });

/** Opens the model of a model cell: downloads what is missing, tests the backend, loads the weights. */
export async function runModel(context: RunContext, secrets: ModelSecrets): Promise<void> {
  const cell = cellOf(context.core, context.cellId, "model");
  await open(context, secrets, openArgument(cell, secrets));
}

/**
 * Opens the model that the cell of `context` uses, unless it is open already.
 * @throws when the notebook has no model cell, and where opening fails
 */
export async function ensureModel(context: RunContext, secrets: ModelSecrets): Promise<void> {
  const { core, cellId } = context;
  const notebook = present(notebookOfCell(get(core), cellId), () => `state: the cell ${cellId} was removed`);
  const cell = present(
    modelCellFor(notebook, cellId),
    () => "This notebook has no model cell. Add one above, and run again.",
  );
  const argument = openArgument(cell, secrets);
  if (get(core).device.model && secrets.opened && sameModel(secrets.opened, argument)) return;
  await open({ ...context, cellId: cell.id }, secrets, argument);
  clearRun(core, cell.id);
}

/** Whether the engine has the model of a cell open. */
export function isOpenFor(core: Core, cellId: string, secrets: ModelSecrets): boolean {
  const notebook = notebookOfCell(get(core), cellId);
  const cell = notebook && modelCellFor(notebook, cellId);
  const { opened, files } = secrets;
  if (!cell || !opened || !get(core).device.model) return false;
  const given = files.get(cell.id);
  return sameModel(opened, { ...cell.input, ...(given ? { files: given } : {}) });
}

/** Opens again what was open when the worker crashed. */
export async function reopen(core: Core, secrets: ModelSecrets, argument: OpenModel): Promise<void> {
  const model = await core.engine().open(argument);
  secrets.opened = argument;
  set(core, ({ device }) => ({ device: { ...device, model, ledger: model.ledger } }));
}

/** What `open` and `inspect` are asked for a cell. Throws when its files must be dropped again. */
export function openArgument({ id, input }: ModelCell, secrets: ModelSecrets): OpenModel {
  const files = secrets.files.get(id);
  const token = secrets.tokens.get(id);
  assert(
    input.source.kind !== "files" || files,
    () =>
      `The files of "${input.source.kind === "files" ? input.source.name : ""}" are read in place and not copied. ` +
      "Drop them on the model cell again.",
  );
  return {
    source: input.source,
    backend: input.backend,
    ...(files ? { files } : {}),
    ...(token ? { token } : {}),
  };
}

async function open(
  { core, cellId, signal, report }: RunContext,
  secrets: ModelSecrets,
  argument: OpenModel,
): Promise<void> {
  const since = core.deps.now();
  secrets.opened = null;
  set(core, ({ device }) => ({ device: { ...device, model: null, ledger: null, event: null } }));
  const model = await core.engine().open(argument, {
    signal,
    onProgress: (load) => report({ kind: "load", load }),
  });
  secrets.opened = argument;
  set(core, ({ device }) => ({ device: { ...device, model, ledger: model.ledger, cached: null } }));
  putOutput<"model">(core, cellId, () => ({ ...model, stamp: stamp(core, cellId, since) }));
}

function sameModel(a: OpenModel, b: OpenModel): boolean {
  return (
    JSON.stringify(a.source) === JSON.stringify(b.source) && a.backend === b.backend && a.files === b.files
  );
}
