/** @file Models of transformers.js, each kept until it is replaced: the embedder, and helpers of compared methods. */

import { composeEngine } from "../engine/intercept.ts";
import type { Embedder } from "../engine/embed.ts";
import type { Engine } from "../engine/engine.ts";
import { throwIfCancelled } from "../lib/assert.ts";
import type { EmbedderChoice, EmbedderReady } from "../records/embedder.ts";
import type { Helper } from "../records/evaluation.ts";
import { createQueue } from "../lib/queue.ts";
import type { ModelFiles } from "../weights/modelFiles.ts";
import { downloadModel, droppedFiles } from "./model/source.ts";
import type { ChooseEmbedder, EngineHost, HelperModels, LoadCall } from "./types.ts";

interface Kind<T> {
  readonly name: string;
  open(files: ModelFiles, choice: EmbedderChoice, call: LoadCall): Promise<T>;
  /** `model` with `guarded` around the calls whose duration depends on the model's files. */
  guard(model: T, guarded: <R>(work: () => Promise<R>) => Promise<R>): T;
  /** Uses a new model once: a wrong one fails here, not in the samples of a run. */
  trial?(model: T, signal: AbortSignal | undefined): Promise<unknown>;
  idle(signal?: AbortSignal): Promise<void>;
  changed?(): void;
}

type ChosenModel<T> = ReturnType<typeof createChosen<T & Disposable>>;

interface Disposable {
  dispose?(): Promise<void>;
}

function createChosen<T extends Disposable>(host: EngineHost, kind: Kind<T>) {
  const { name } = kind;
  let current: T | null = null;
  const queue = createQueue();
  const changing = `engine: changing the ${name}`;

  async function opened(choice: EmbedderChoice, dropped: ChooseEmbedder["files"], call: LoadCall) {
    const { from, dtype } = choice;
    const files =
      from.kind === "hub"
        ? await downloadModel(host.hub, { ...from, onnx: dtype }, call)
        : droppedFiles(from.name, dropped, `the ${name} "${from.name}"`);
    throwIfCancelled(call.signal, `engine: opening the ${name}`);
    call.onProgress?.({ stage: "weights", done: 0, total: 0 });
    // Its tokenizer is one of its files, and may never finish.
    const guarded = <R>(work: () => Promise<R>) => host.deadline.follow(`the ${name} ${files.name}`, work);
    const model = kind.guard(await guarded(() => kind.open(files, choice, call)), guarded);
    return disposedOnError(model, async () => kind.trial?.(model, call.signal));
  }

  async function replace({ choice, files }: ChooseEmbedder, call: LoadCall): Promise<void> {
    const next = choice && (await opened(choice, files, call));
    await disposedOnError(next, async () => {
      await kind.idle(call.signal);
      throwIfCancelled(call.signal, changing);
    });
    const former = current;
    current = next;
    kind.changed?.();
    await former?.dispose?.();
  }

  return {
    /** Opens the chosen model and replaces the former; if that fails the former stays. */
    choose: (argument: ChooseEmbedder, call: LoadCall) =>
      queue.run(changing, () => replace(argument, call), call.signal),
    current: (): T | null => current,
  };
}

async function disposedOnError<T extends Disposable | null>(model: T, work: () => Promise<unknown>) {
  try {
    await work();
    return model;
  } catch (error) {
    await model?.dispose?.();
    throw error;
  }
}

export const chosenEmbedder = (host: EngineHost, events: Pick<Kind<Embedder>, "idle" | "changed">) =>
  createChosen<Embedder>(host, {
    ...events,
    name: "text embedder",
    open: (files, choice, { signal, onProgress }) =>
      host.openEmbedder(files, choice, {
        signal,
        onOpened: () => onProgress?.({ stage: "pairs", done: 0, total: 0 }),
      }),
    guard: (model, guarded) => ({
      ...model,
      embed: (...input) => guarded(() => model.embed(...input)),
      embedQuestion: (...input) => guarded(() => model.embedQuestion(...input)),
    }),
  });

/** The embedder in use; null if none is chosen and no model is open. */
export function embedderInUse(chosen: Embedder | null, engine: Engine | null): EmbedderReady | null {
  const used = chosen ?? (engine && { name: engine.embedder, denseFloor: engine.denseFloor });
  return used && { name: used.name, denseFloor: Number.isFinite(used.denseFloor) ? used.denseFloor : null };
}

/** `engine` with the chosen embedder, if any, at each moment. Its values stay live. */
export function withEmbedder(engine: Engine, chosen: () => Embedder | null): Engine {
  const values = () => {
    const other = chosen();
    if (!other) return engine;
    const { name: embedder, identity: embedderIdentity, denseFloor } = other;
    return { ...engine, embedder, embedderIdentity, denseFloor };
  };
  return composeEngine(values, {
    ...engine,
    embed: (texts, signal) => (chosen() ?? engine).embed(texts, signal),
    embedQuestion: (question, signal) => (chosen() ?? engine).embedQuestion(question, signal),
  });
}

const TRIAL = ["Where is Mary?", "Mary moved to the garden."] as const;

export const chosenHelpers = (host: EngineHost, idle: Kind<unknown>["idle"]) =>
  ({
    reranker: createChosen(host, {
      ...{ name: "cross-encoder", idle },
      open: (files, choice, { signal }) => host.openHelper.reranker(files, choice, signal),
      guard: (model, guarded) => ({
        ...model,
        score: (...input) => guarded(() => model.score(...input)),
      }),
      trial: ({ score }) => score(TRIAL[0], [TRIAL[1]]),
    }),
    compressor: createChosen(host, {
      ...{ name: "compressor", idle },
      open: (files, choice, { signal }) => host.openHelper.compressor(files, choice, signal),
      guard: (model, guarded) => ({ ...model, keep: (...input) => guarded(() => model.keep(...input)) }),
      trial: async (model, signal) => model.keep([model.tokens(TRIAL[1])], signal),
    }),
  }) satisfies { readonly [H in Helper]: ChosenModel<HelperModels[H]> };
