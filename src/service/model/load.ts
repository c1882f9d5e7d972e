/** @file Model files on a tested device: weights loaded with progress, then warmed up by a few tokens. */

import { openEngine, type LocalEngine } from "../../engine/localEngine.ts";
import { throwIfCancelled } from "../../lib/assert.ts";
import type { Precision } from "../../lib/precision.ts";
import type { BufferLedger, LoadProgress, ModelFile, ModelReady, ModelSource } from "../../records/model.ts";
import type { Deadline } from "../../rpc/deadline.ts";
import type { Ledger } from "../../runtime/device.ts";
import type { ModelFiles } from "../../weights/modelFiles.ts";
import type { TestedDevice } from "./backend.ts";

/** A model on its device. */
export interface Loaded extends TestedDevice {
  readonly engine: LocalEngine;
  readonly ready: ModelReady;
}

export interface LoadCall {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: LoadProgress) => void;
}

export interface LoadRequest extends LoadCall {
  readonly source: ModelSource;
  readonly precision?: Precision;
  /** The parsed config.json of `files`. */
  readonly config: unknown;
  readonly files: ModelFiles;
  readonly listed: readonly ModelFile[];
  readonly now: () => number;
  readonly started: number;
  readonly deadline: Deadline;
}

/** Loads onto `tested`, which is disposed of when anything fails. */
export async function loadModel(tested: TestedDevice, request: LoadRequest): Promise<Loaded> {
  const { device, card, recordsSteps } = tested;
  const { signal, onProgress, files } = request;
  try {
    throwIfCancelled(signal, "engine: loading");
    const engine = await openEngine(device, files, {
      onProgress: ({ done, total }) => onProgress?.({ stage: "weights", done, total }),
      guard: (what, work) => request.deadline.run(what, work),
      ...(request.precision ? { precision: request.precision } : {}),
      ...(signal ? { signal } : {}),
    });
    engine.runner.programs.recordsSteps = recordsSteps;
    throwIfCancelled(signal, "engine: loading");
    onProgress?.({ stage: "warm-up", done: 0, total: WARM_UP_TOKENS });
    await engine.generate(["Hello."], { maxTokens: WARM_UP_TOKENS }, signal);
    throwIfCancelled(signal, "engine: loading");
    onProgress?.({ stage: "warm-up", done: WARM_UP_TOKENS, total: WARM_UP_TOKENS });
    const ready: ModelReady = {
      identity: engine.model,
      source: request.source,
      files: request.listed,
      device: card,
      ledger: snapshot(device.ledger),
      embedder: engine.embedder,
      milliseconds: request.now() - request.started,
      copy: engine.copy,
      decoding: engine.decoding,
    };
    return { ...tested, engine, ready };
  } catch (error) {
    await device.dispose();
    throw error;
  }
}

/** The ledger as plain data. */
export function snapshot({ bytes, total, peak }: Ledger): BufferLedger {
  return { bytes: { ...bytes }, total, peak };
}

/** Enough to compile reading and decoding, which are needed first. */
const WARM_UP_TOKENS = 2;
