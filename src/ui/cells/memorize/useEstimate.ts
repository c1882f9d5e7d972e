/** @file What a run would do, asked of the engine whenever what it depends on changes. */

import type { DocumentId } from "../../../records/ids.ts";
import { modelTag } from "../../../records/memory.ts";
import type { MemorizeCell } from "../../../records/notebook.ts";
import type { MemorizeEstimate } from "../../../rpc/protocol.ts";
import { deviceIsTaken } from "../../../state/going.ts";
import { useApp, useServices } from "../../app.tsx";
import { useAsync } from "../../controls/useAsync.ts";

type MemorizeInput = MemorizeCell["input"];

export type EstimateState =
  /**
   * "closed": no model is open; "empty": there is no text to memorise; "waiting": a run has the device; "unusable": a
   * parameter is not valid.
   */
  | { readonly status: "closed" | "empty" | "working" | "waiting" | "unusable" }
  | { readonly status: "ready"; readonly estimate: MemorizeEstimate }
  | { readonly status: "failed"; readonly message: string };

/** `layers` of a probe cell, where the cell has them; `documents` whose text is kept; `usable` is false while the parameters are not valid. */
export function useEstimate(
  memory: string,
  documents: readonly DocumentId[],
  { params, layers }: MemorizeInput,
  usable: boolean,
): EstimateState {
  const { engine } = useServices();
  const model = useApp(({ device }) => device.model && modelTag(device.model.identity));
  const running = useApp(deviceIsTaken);
  const facts = useApp(({ memory: { info } }) => info?.facts ?? 0);
  const ids = documents.join(" ");
  const ask = (signal: AbortSignal) =>
    engine().estimate({ memory, documents, params, ...(layers ? { layers } : {}) }, { signal });
  const asked = useAsync(ask, [memory, ids, params, layers, model, facts, engine], {
    // One device, one queue: an estimate does not wait behind a run.
    wanted: ids !== "" && model !== null && usable && !running,
    delay: TYPING_MS,
    keep: true,
  });
  if (!ids) return { status: "empty" };
  if (!model) return { status: "closed" };
  if (!usable) return { status: "unusable" };
  if (asked.status === "failed") return { status: "failed", message: asked.message };
  return asked.value
    ? { status: "ready", estimate: asked.value }
    : { status: running ? "waiting" : "working" };
}

const TYPING_MS = 350;
