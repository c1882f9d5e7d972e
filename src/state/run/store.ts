/** @file Changes to stored facts from a store cell: deletion with a certificate, and encoding a fact once more. */

import { knownValue } from "../../records/factRow.ts";
import type { FactId } from "../../records/ids.ts";
import type { FactRow, Reencoding, Stamp } from "../../records/notebook.ts";
import type { ReencodeArgument } from "../../service/runs/runs.ts";
import { get, memoryId, notebookOfCell, putOutput, set, stamp, type Core } from "../core.ts";
import { many } from "../../lib/format.ts";
import type { EngineService } from "../../service/engineService.ts";
import type { Progress } from "../../records/progress.ts";
import type { Call } from "../../rpc/wire.ts";
import type { OpenModel } from "../../service/types.ts";
import { refreshMemory, tell } from "../memory.ts";
import { flowReporter, type RunContext } from "../runs.ts";
import { ensureEngine } from "./model.ts";
import { keyText } from "../../records/fact.ts";

export async function runStore({ core, cellId }: RunContext): Promise<void> {
  const facts = await core.library().facts({ memory: memoryId(core, cellId) });
  const there = new Set(facts.map(({ id }) => id));
  dropReencodings(core, cellId, (id) => !there.has(id));
  await refreshMemory(core);
}

function dropReencodings(core: Core, cellId: string, gone: (id: FactId) => boolean): void {
  for (const cell of notebookOfCell(get(core), cellId)?.cells ?? [])
    if (cell.kind === "store" && cell.output?.reencodings?.some(({ id }) => gone(id)))
      putOutput<"store">(
        core,
        cell.id,
        ({ output }) =>
          output && { ...output, reencodings: output.reencodings?.filter(({ id }) => !gone(id)) ?? [] },
      );
}

const ASKED = {
  before: "Recalled before the deletion",
  after: "Recalled after it and compared",
  others: "Checked the soft read",
} as const;

export async function runForget(context: RunContext, ids: readonly FactId[]): Promise<void> {
  const { core, cellId, since, signal, report } = context;
  try {
    await ensureEngine(context);
    report({ kind: "note", note: "Asking for the facts before and after, and comparing what stays" });
    const certificate = await core.engine().forget(
      { memory: memoryId(core, cellId), ids },
      {
        signal,
        onProgress: ({ stage, done, total }) => report({ kind: "count", note: ASKED[stage], done, total }),
      },
    );
    putOutput<"store">(core, cellId, ({ output }) => {
      const made = stamp(core, cellId, since);
      const certificates = [{ certificate, stamp: made }, ...(output?.certificates ?? [])];
      return { ...output, certificates, stamp: made };
    });
    dropReencodings(core, cellId, (id) => ids.includes(id));
  } finally {
    // Deleted or not: what the store holds now is shown.
    await refreshMemory(core);
  }
}

/** Moves the memory to the model of the model cell; `from` is the model that the memory belongs to. */
export const runCarryOver = (context: RunContext, from: OpenModel): Promise<void> =>
  runSaid(context, "carried over", (engine, memory, call) => engine.carryOver({ memory, from }, call));

/** Encodes facts of the memory file `archive` that a merge could not add. */
export const runTakeIn = (context: RunContext, archive: Blob, ids: readonly FactId[]): Promise<void> =>
  runSaid(context, "encoded again", (engine, memory, call) => engine.takeIn({ memory, archive, ids }, call));

/** A run that writes facts which a model said; the notice has their number and the keys of those that differ from their source. */
async function runSaid(
  context: RunContext,
  done: string,
  write: (engine: EngineService, memory: string, call: Call<Progress>) => ReturnType<EngineService["takeIn"]>,
): Promise<void> {
  const { core, cellId, signal } = context;
  await ensureEngine(context);
  const call = { signal, onProgress: flowReporter(context) };
  const { encoded, exact, inexact } = await write(core.engine(), memoryId(core, cellId), call);
  const lines = [`${many(encoded, "fact")} ${done}, ${exact} of them exact.`];
  if (inexact.length > 0)
    lines.push(
      `Their model did not say ${inexact.length} of them word for word, and the words that it said are stored now: ${inexact.slice(0, SHOWN).join(", ")}${inexact.length > SHOWN ? " …" : "."}`,
    );
  set(core, { notice: lines.join(" ") });
  await refreshMemory(core);
}

const SHOWN = 10;

/** Encodes a fact once more: with another value, at another layer, or as it is; a store cell keeps that it was. */
export async function runReencode(
  context: RunContext,
  change: Omit<ReencodeArgument, "memory">,
): Promise<void> {
  const { core, cellId, since, signal } = context;
  const memory = memoryId(core, cellId);
  const before = (await rowsOf(core, memory)).find(({ id }) => id === change.id);
  const { currentId, memory: shown } = get(core);
  const said = before && currentId === memory ? knownValue(before, shown.said.get(change.id)) : null;
  await ensureEngine(context);
  const after = await core
    .engine()
    .reencode({ memory, ...change }, { signal, onProgress: flowReporter(context) });
  const words = { before: said, after: change.value ?? said };
  if (before) keepReencoding(core, cellId, reencodingOf(before, after, words), stamp(core, cellId, since));
  if (after.exact && change.value !== undefined)
    tell(core, memory, [{ id: change.id, text: change.value.trim() }]);
  await refreshMemory(core);
}

const rowsOf = async (core: Core, memory: string): Promise<readonly FactRow[]> =>
  (get(core).currentId === memory ? get(core).memory.facts : null) ?? core.library().facts({ memory });

function reencodingOf(
  before: FactRow,
  after: FactRow,
  words: Readonly<Record<"before" | "after", string | null>>,
): Reencoding {
  const { exact, fidelity, steps } = after;
  return {
    id: before.id,
    key: keyText(before),
    before: { value: words.before, layer: before.layer },
    after: { value: words.after, layer: after.layer, exact, fidelity, steps },
  };
}

/** The oldest go first: a notebook that grew with every change would be slow to save. */
const LONGEST_HISTORY = 500;

function keepReencoding(core: Core, cellId: string, made: Reencoding, at: Stamp): void {
  const cells = notebookOfCell(get(core), cellId)?.cells ?? [];
  const store =
    cells.find(({ id, kind }) => id === cellId && kind === "store") ??
    cells.find(({ kind }) => kind === "store");
  if (!store) return;
  putOutput<"store">(core, store.id, ({ output }) => ({
    certificates: [],
    ...output,
    reencodings: [{ ...made, stamp: at }, ...(output?.reencodings ?? [])].slice(0, LONGEST_HISTORY),
    stamp: at,
  }));
}
