/** @file Changes to stored facts from a store cell: deletion with a certificate, and encoding a fact once more. */

import type { FactId } from "../../records/ids.ts";
import type { ReencodeArgument } from "../../rpc/protocol.ts";
import { putOutput, stamp } from "../core.ts";
import { refreshMemory, setLeaving } from "../memory.ts";
import { flowReporter, type RunContext } from "../runs.ts";
import { memoryId } from "./memorize.ts";
import { ensureModel, type ModelSecrets } from "./model.ts";

/** Running a store cell reads the table again. */
export async function runStore({ core }: RunContext): Promise<void> {
  await refreshMemory(core);
}

/** Deletes facts for good and keeps the certificate in the store cell. */
export async function runForget(
  context: RunContext,
  secrets: ModelSecrets,
  ids: readonly FactId[],
): Promise<void> {
  const { core, cellId, since, report } = context;
  try {
    await ensureModel(context, secrets);
    report({ kind: "note", note: "Asking for the facts before and after, and comparing what stays" });
    const certificate = await core.engine().forget({ memory: memoryId(core, cellId), ids });
    putOutput<"store">(core, cellId, ({ output }) => {
      const made = stamp(core, cellId, since);
      return { certificates: [{ certificate, stamp: made }, ...(output?.certificates ?? [])], stamp: made };
    });
  } finally {
    // Deleted or not: what the store holds now is shown.
    setLeaving(core, (leaving) => new Set([...leaving].filter((id) => !ids.includes(id))));
    await refreshMemory(core);
  }
}

/** Encodes a fact once more: with another value, at another layer, or as it is. */
export async function runReencode(
  context: RunContext,
  secrets: ModelSecrets,
  change: Omit<ReencodeArgument, "memory">,
): Promise<void> {
  const { core, cellId, signal } = context;
  await ensureModel(context, secrets);
  const memory = memoryId(core, cellId);
  await core.engine().reencode({ memory, ...change }, { signal, onProgress: flowReporter(context) });
  await refreshMemory(core);
}
