/** @file The open model: none → loading → open; a lost device is replaced, while calls on the engine wait. */

import { openEngine, type LocalEngine } from "../../engine/localEngine.ts";
import type { Embedder } from "../../engine/embed.ts";
import type { Engine } from "../../engine/engine.ts";
import { Cancelled, messageOf, present, throwIfCancelled } from "../../lib/assert.ts";
import type { BufferLedger, ModelReady } from "../../records/model.ts";
import type { DeviceEvent, OpenModel, EngineHost, LoadCall, ModelWork } from "../types.ts";
import { DeviceLostError, type DeviceLost, type Ledger } from "../../runtime/device.ts";
import type { BackendChoice } from "../../records/notebook.ts";
import { aborted } from "../../lib/promises.ts";
import { createQueue } from "../../lib/queue.ts";
import { rest } from "../../hub/listing.ts";
import { withEmbedder } from "../helperModels.ts";
import {
  openBackend,
  type TestedDevice,
  type WebGpuMissing,
  modelConfig,
  modelFiles,
  type FetchedModel,
} from "./source.ts";
import type { ModelFiles } from "../../weights/modelFiles.ts";
import { currentEngine, type EngineSupply } from "./calls.ts";

interface ModelEvents {
  changed(event: DeviceEvent): void;
  /** Called before the model is closed, after the last work on it has ended. */
  closing(): void;
  /** The chosen text embedder; null if the model's own states are used. */
  embedder(): Embedder | null;
}

interface Loadable extends FetchedModel {
  readonly argument: OpenModel;
  readonly config: unknown;
}

export class CurrentModel {
  readonly #queue = createQueue();
  #open: LoadedModel | undefined;

  constructor(
    private readonly host: EngineHost,
    private readonly events: ModelEvents,
  ) {}

  /** Opens a model in place of the current one, which stays if the new one's files or device fail. */
  open(argument: OpenModel, call: LoadCall): Promise<ModelReady> {
    return this.#queue.run("engine: opening", () => this.#replace(argument, call), call.signal);
  }

  close(): Promise<void> {
    return this.#queue.run("engine: closing", () => this.#close());
  }

  engine(): Engine | null {
    return this.#open?.engine ?? null;
  }

  /** The engine on this thread, and the model's files. @throws if no model is open */
  local(): { readonly engine: LocalEngine; readonly files: ModelFiles } {
    return present(this.#open, () => NONE_OPEN).local;
  }

  ledger(): BufferLedger | null {
    return this.#open?.ledger ?? null;
  }

  async idle(signal?: AbortSignal): Promise<void> {
    const stop = aborted(signal);
    while (this.#open?.inUse && !signal?.aborted) await Promise.race([stop, this.#open.settled()]);
  }

  /** Runs `work` on the open model. Its signal fires with `signal` and before the model is closed. @throws if none is open */
  async using<T>(work: ModelWork<T>, signal?: AbortSignal): Promise<T> {
    const model = present(this.#open, () => NONE_OPEN);
    return model.using(work, signal);
  }

  async #replace(argument: OpenModel, call: LoadCall): Promise<ModelReady> {
    const { host } = this;
    const started = host.now();
    const config = await modelConfig(host, argument);
    throwIfCancelled(call.signal, "engine: loading");
    const { tested, fetched } = await this.#prepare(argument, config, call);
    await this.#close();
    const source: Loadable = { argument, config, ...fetched };
    const loaded = await load(host, tested, source, started, call);
    this.#open = new LoadedModel(host, this.events, source, loaded);
    return loaded.ready;
  }

  /** Tests a device for the model, then fetches the files: no long download for a model that cannot run. */
  async #prepare(argument: OpenModel, config: unknown, call: LoadCall) {
    const { host } = this;
    const open = () => openBackend(host, argument.backend, { ...argument, config }, call);
    let tested = await open();
    try {
      let lost = false;
      void tested.device.lost.then(() => (lost = true));
      throwIfCancelled(call.signal, "engine: loading");
      const fetched = await modelFiles(host, argument, call);
      throwIfCancelled(call.signal, "engine: loading");
      if (!lost) return { tested, fetched };
      await tested.device.dispose().catch(() => undefined);
      tested = await open();
      throwIfCancelled(call.signal, "engine: loading");
      return { tested, fetched };
    } catch (error) {
      await tested.device.dispose().catch(() => undefined);
      throw error;
    }
  }

  async #close(): Promise<void> {
    const old = this.#open;
    this.#open = undefined;
    await old?.close();
  }
}

interface Loaded extends TestedDevice {
  readonly engine: LocalEngine;
  readonly ready: ModelReady;
}

/** A loaded model; its users see one engine, also after the device was replaced. */
class LoadedModel implements EngineSupply {
  readonly engine: Engine;
  readonly #closing = new AbortController();
  readonly #users = new Set<Promise<unknown>>();
  #loaded: Loaded;
  /** Settles when the lost device has been replaced; undefined if none is lost. */
  #recovery: Promise<void> | undefined;
  #lostAt = -Infinity;

  constructor(
    private readonly host: EngineHost,
    private readonly events: ModelEvents,
    private readonly source: Loadable,
    loaded: Loaded,
  ) {
    this.#loaded = loaded;
    this.engine = withEmbedder(currentEngine(this), () => events.embedder());
    this.#watch();
  }

  get ledger(): BufferLedger {
    return snapshot(this.#loaded.device.ledger);
  }

  get local() {
    return { engine: this.#loaded.engine, files: this.source.files };
  }

  get inUse(): boolean {
    return this.#users.size > 0;
  }

  async using<T>(work: ModelWork<T>, signal?: AbortSignal): Promise<T> {
    const closed = this.#closing.signal;
    const running = work(this.engine, AbortSignal.any(signal ? [signal, closed] : [closed]));
    this.#users.add(running);
    try {
      return await running;
    } finally {
      this.#users.delete(running);
    }
  }

  settled = (): Promise<unknown> => Promise.allSettled(this.#users);

  /** Cancels all work, then frees the engine and the device. */
  async close(): Promise<void> {
    this.#closing.abort(new Cancelled(CLOSED));
    await Promise.allSettled([...this.#users, this.#recovery]);
    this.events.closing();
    await this.#loaded.engine.dispose().catch(() => undefined);
    await this.#loaded.device.dispose();
  }

  get latest(): Engine {
    return this.#loaded.engine;
  }

  async current(): Promise<Engine> {
    if (this.#closing.signal.aborted) throw new Cancelled(CLOSED);
    await this.#recovery;
    return this.latest;
  }

  async wasLost(engine: Engine, error: unknown): Promise<boolean> {
    if (this.#closing.signal.aborted || error instanceof Cancelled) return false;
    const { device } = this.#loaded;
    const possible = device.backend === "webgpu" || error instanceof DeviceLostError;
    // The browser reports a loss after the calls that failed by it.
    if (engine === this.latest && possible) await Promise.race([device.lost, rest(LOSS_REPORT_MS)]);
    return this.#recovery !== undefined || engine !== this.latest;
  }

  #watch(): void {
    const { device } = this.#loaded;
    void device.lost.then((loss) => {
      if (this.#closing.signal.aborted || this.#loaded.device !== device) return;
      this.#recovery = this.#recover(loss);
      // Waiting calls reject with its error; without any, the "failed" event reports it.
      this.#recovery.catch(() => undefined);
    });
  }

  async #recover({ reason, message }: DeviceLost): Promise<void> {
    const now = this.host.now();
    const again = now - this.#lostAt < LOST_TWICE_WITHIN_MS;
    this.#lostAt = now;
    const tell = (kind: DeviceEvent["kind"], text: string) => this.events.changed({ kind, message: text });
    tell("lost", `The GPU was lost (${reason}): ${message || "no message"}`);
    const to = again ? "on wasm, since the GPU was lost twice within a minute" : "on the same backend";
    tell("reloading", `The model is loaded again ${to}; running work continues afterwards.`);
    try {
      await (again ? this.#reload("auto", LOST_TWICE) : this.#reloadPatiently());
    } catch (error) {
      const why = messageOf(error);
      tell("failed", `The model could not be loaded again: ${why}`);
      throw new Error(`engine: the device was lost and the model could not be loaded again: ${why}`, {
        cause: error,
      });
    }
    tell("ready", `The model is ready again on ${this.#loaded.card.backend}.`);
  }

  /** On the lost GPU, some times over; then as the model was opened. */
  async #reloadPatiently(): Promise<void> {
    const { backend } = this.source.argument;
    const onGpu = backend !== "wasm" && this.#loaded.card.webgpuMissing === null;
    for (const wait of onGpu ? this.host.gpuWaits : []) {
      const failed = await this.#reload("webgpu").then(
        () => false,
        () => true,
      );
      if (!failed) return;
      await rest(wait, this.#closing.signal);
    }
    return this.#reload(backend);
  }

  /** @param missing why WebGPU is not tried again */
  async #reload(choice: BackendChoice, missing?: WebGpuMissing): Promise<void> {
    const { argument, config } = this.source;
    await this.#loaded.engine.dispose().catch(() => undefined);
    await this.#loaded.device.dispose().catch(() => undefined);
    const tested = await openBackend(this.host, choice, { ...argument, config }, {}, missing);
    this.#loaded = await load(this.host, tested, this.source, this.host.now(), {});
    this.#recovery = undefined;
    this.#watch();
  }
}

/** Loads the weights onto a tested device, and warms a GPU up. Disposes of the device if anything fails. */
async function load(
  host: Pick<EngineHost, "deadline" | "now" | "bundled">,
  tested: TestedDevice,
  { argument, files, listed }: Loadable,
  started: number,
  { signal, onProgress }: LoadCall,
): Promise<Loaded> {
  const { device, card, recordsSteps } = tested;
  try {
    throwIfCancelled(signal, "engine: loading");
    const engine = await openEngine(device, files, {
      onProgress: ({ done, total }) => onProgress?.({ stage: "weights", done, total }),
      guard: (what, work) => host.deadline.run(what, work),
      precision: argument.precision,
      reader: host.bundled(),
      signal,
    });
    engine.runner.programs.recordsSteps = recordsSteps;
    throwIfCancelled(signal, "engine: loading");
    // A GPU compiles its kernels when they first run, which takes seconds.
    if (device.backend === "webgpu") {
      onProgress?.({ stage: "warm-up", done: 0, total: WARM_UP_TOKENS });
      await engine.generate(["Hello."], { maxTokens: WARM_UP_TOKENS }, signal);
      throwIfCancelled(signal, "engine: loading");
      onProgress?.({ stage: "warm-up", done: WARM_UP_TOKENS, total: WARM_UP_TOKENS });
    }
    const { model: identity, embedder, copy, decoding } = engine;
    const ready: ModelReady = {
      ...{ identity, embedder, copy, decoding, source: argument.source, files: listed, device: card },
      ...{ ledger: snapshot(device.ledger), milliseconds: host.now() - started },
    };
    return { ...tested, engine, ready };
  } catch (error) {
    await device.dispose();
    throw error;
  }
}

const snapshot = ({ bytes, total, peak }: Ledger): BufferLedger => ({ bytes: { ...bytes }, total, peak });

const NONE_OPEN = "engine: no model is open; run the model cell first";
const CLOSED = "engine: the model was closed";
/** Two tokens compile reading and decoding, which are needed first. */
const WARM_UP_TOKENS = 2;
const LOST_TWICE_WITHIN_MS = 60_000;
const LOSS_REPORT_MS = 500;
const LOST_TWICE: WebGpuMissing = {
  reason: "the GPU was lost twice within a minute",
  next: "Close other pages that use the GPU, or restart the browser; then run the model cell again.",
};
