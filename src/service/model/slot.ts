/**
 * @file Which model is open: opening, replacing and closing it, one after another. What happens to it while it is open,
 * the loss of its device among it, is in held.ts.
 */

import type { Embedder } from "../../engine/embed.ts";
import type { Engine } from "../../engine/engine.ts";
import { present, throwIfCancelled } from "../../lib/assert.ts";
import type { BufferLedger, ModelReady } from "../../records/model.ts";
import type { DeviceEvent, OpenModel } from "../../rpc/protocol.ts";
import { createQueue } from "../../runtime/queue.ts";
import type { EngineHost } from "../engineHost.ts";
import type { TestedDevice } from "./backend.ts";
import { modelConfig, modelFiles } from "./files.ts";
import { HeldModel, testedBackend, type ModelWork } from "./held.ts";
import { loadModel, type LoadCall, type LoadRequest } from "./load.ts";

/** What the slot tells. */
export interface SlotEvents {
  changed(event: DeviceEvent): void;
  /** The model is about to be closed; nothing runs on it any more. */
  closing(): void;
  /** The text embedder in place of the model's own; null where there is none. */
  embedder(): Embedder | null;
}

/** What a model is loaded from, and onto. */
type Fetched = Awaited<ReturnType<typeof modelFiles>> & { readonly tested: TestedDevice };

/** The place of the one model that is open, or of none. */
export class ModelSlot {
  readonly #host: EngineHost;
  readonly #events: SlotEvents;
  readonly #line = createQueue();
  #held: HeldModel | undefined;

  constructor(host: EngineHost, events: SlotEvents) {
    this.#host = host;
    this.#events = events;
  }

  /**
   * Opens a model in place of the one that is open. That one is kept where the new one's files or device fail, and closed
   * before the new one's weights are loaded: there may not be room for two.
   */
  open(argument: OpenModel, call: LoadCall): Promise<ModelReady> {
    return this.#line.run("engine: opening", () => this.#replace(argument, call), call.signal);
  }

  close(): Promise<void> {
    return this.#line.run("engine: closing", () => this.#close());
  }

  /** The engine of the open model; null when none is. */
  engine(): Engine | null {
    return this.#held?.engine ?? null;
  }

  ledger(): BufferLedger | null {
    return this.#held?.ledger ?? null;
  }

  /** Resolves when no call works on the model. */
  async idle(signal?: AbortSignal): Promise<void> {
    const stop = new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve()));
    while (this.#held?.inUse && !signal?.aborted) await Promise.race([stop, this.#held.settled()]);
  }

  /**
   * Keeps the device from being taken away under `work`, whose signal fires with `signal` and before the model is closed.
   * @throws when no model is open
   */
  async using<T>(work: ModelWork<T>, signal?: AbortSignal): Promise<T> {
    return present(this.#held, () => "engine: no model is open; run the model cell first").using(
      work,
      signal,
    );
  }

  async #replace(argument: OpenModel, { signal, onProgress }: LoadCall): Promise<ModelReady> {
    const host = this.#host;
    const started = host.now();
    const call = { ...(signal ? { signal } : {}), ...(onProgress ? { onProgress } : {}) };
    const config = await modelConfig(host, argument);
    throwIfCancelled(signal, "engine: loading");
    const { tested, files, listed } = await this.#fetch(argument, config, call);
    await this.#close();
    const request: LoadRequest = {
      source: argument.source,
      ...(argument.precision ? { precision: argument.precision } : {}),
      config,
      files,
      listed,
      now: () => host.now(),
      started,
      deadline: host.deadline,
    };
    const loaded = await loadModel(tested, { ...request, ...call });
    const { changed, embedder } = this.#events;
    this.#held = new HeldModel({ host, argument, request, changed, embedder }, loaded);
    return loaded.ready;
  }

  /** A device that is right for the model, and then its files: a download of hours is not for one that is not. */
  async #fetch(argument: OpenModel, config: unknown, call: LoadCall): Promise<Fetched> {
    const host = this.#host;
    let tested = await testedBackend(host, argument, config, call.onProgress);
    try {
      let lost = false;
      void tested.device.lost.then(() => (lost = true));
      throwIfCancelled(call.signal, "engine: loading");
      const found = await modelFiles(host, argument, call);
      throwIfCancelled(call.signal, "engine: loading");
      if (!lost) return { tested, ...found };
      await tested.device.dispose().catch(() => undefined);
      tested = await testedBackend(host, argument, config, call.onProgress);
      throwIfCancelled(call.signal, "engine: loading");
      return { tested, ...found };
    } catch (error) {
      await tested.device.dispose().catch(() => undefined);
      throw error;
    }
  }

  async #close(): Promise<void> {
    const old = this.#held;
    this.#held = undefined;
    await old?.close(() => this.#events.closing());
  }
}
