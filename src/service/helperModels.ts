/**
 * @file Models of transformers.js that are used with the open model: the text embedder, and the models that some compared
 * methods need. Each stays when another language model is opened, until it is replaced.
 */

import { composeEngine } from "../engine/intercept.ts";
import type { Embedder } from "../engine/embed.ts";
import type { Engine } from "../engine/engine.ts";
import { throwIfCancelled } from "../lib/assert.ts";
import type { EmbedderChoice, EmbedderReady } from "../records/embedder.ts";
import type { Helper } from "../records/evaluation.ts";
import { createQueue } from "../runtime/queue.ts";
import type { ModelFiles } from "../weights/modelFiles.ts";
import { downloadModel, droppedFiles } from "./model/source.ts";
import type { ChooseEmbedder, EngineHost, HelperModels, LoadCall } from "./types.ts";

/** A model that the user chooses. */
export interface ChosenModel<T> {
  /** Opens the chosen model and replaces the former; if that fails the former stays. */
  choose(argument: ChooseEmbedder, call: LoadCall): Promise<void>;
  /** Null if none is chosen. */
  current(): T | null;
}

/** How a kind of model is opened and replaced. */
interface Kind<T> {
  /** For messages: "text embedder". */
  readonly name: string;
  /** Opens and tries a model; `guarded` runs work whose duration depends on the model's files. */
  open(
    files: ModelFiles,
    choice: EmbedderChoice,
    call: LoadCall,
    guarded: <R>(work: () => Promise<R>) => Promise<R>,
  ): Promise<T>;
  /** Resolves when the former is not in use. */
  idle(signal?: AbortSignal): Promise<void>;
  changed?(): void;
}

function createChosen<T extends { dispose?(): Promise<void> }>(
  host: EngineHost,
  { name, open, idle, changed }: Kind<T>,
): ChosenModel<T> {
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
    return open(files, choice, call, (work) => host.deadline.follow(`the ${name} ${files.name}`, work));
  }

  async function replace({ choice, files }: ChooseEmbedder, call: LoadCall): Promise<void> {
    const next = choice && (await opened(choice, files, call));
    try {
      await idle(call.signal);
      throwIfCancelled(call.signal, changing);
    } catch (error) {
      await next?.dispose?.();
      throw error;
    }
    const former = current;
    current = next;
    changed?.();
    await former?.dispose?.();
  }

  return {
    choose: (argument, call) => queue.run(changing, () => replace(argument, call), call.signal),
    current: () => current,
  };
}

/** The text embedder that replaces the model's own states. */
export const chosenEmbedder = (
  host: EngineHost,
  events: Pick<Kind<Embedder>, "idle" | "changed">,
): ChosenModel<Embedder> =>
  createChosen<Embedder>(host, {
    ...events,
    name: "text embedder",
    async open(files, choice, { signal, onProgress }, guarded) {
      const opened = await guarded(() =>
        host.openEmbedder(files, choice, {
          ...(signal ? { signal } : {}),
          onOpened: () => onProgress?.({ stage: "pairs", done: 0, total: 0 }),
        }),
      );
      return {
        ...opened,
        embed: (...input) => guarded(() => opened.embed(...input)),
        embedQuestion: (...input) => guarded(() => opened.embedQuestion(...input)),
      };
    },
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
    const { model, capabilities, encodeTokens, recorded, encode, decode, chat } = engine;
    const { name: embedder, identity: embedderIdentity, denseFloor } = other;
    const routing = { embedder, embedderIdentity, denseFloor };
    return { model, capabilities, ...routing, encodeTokens, recorded, encode, decode, chat };
  };
  return composeEngine(values, {
    ...engine,
    embed: (texts, signal) => (chosen() ?? engine).embed(texts, signal),
    embedQuestion: (question, signal) => (chosen() ?? engine).embedQuestion(question, signal),
  });
}

export type ChosenHelpers = { readonly [H in Helper]: ChosenModel<HelperModels[H]> };

/** A question and a text to try each model on: a wrong model fails here, not in the samples of a run. */
const TRIAL = ["Where is Mary?", "Mary moved to the garden."] as const;

/** The models that some compared methods need. */
export function chosenHelpers(host: EngineHost, idle: Kind<unknown>["idle"]): ChosenHelpers {
  return {
    reranker: createChosen(host, {
      name: "cross-encoder",
      idle,
      async open(files, choice, { signal }, guarded) {
        const opened = await guarded(() => host.openHelper.reranker(files, choice, signal));
        const reranker: HelperModels["reranker"] = {
          ...opened,
          score: (question, passages) => guarded(() => opened.score(question, passages)),
        };
        return tried(reranker, () => reranker.score(TRIAL[0], [TRIAL[1]]));
      },
    }),
    compressor: createChosen(host, {
      name: "compressor",
      idle,
      async open(files, choice, { signal }, guarded) {
        const opened = await guarded(() => host.openHelper.compressor(files, choice, signal));
        const compressor: HelperModels["compressor"] = {
          ...opened,
          keep: (...input) => guarded(() => opened.keep(...input)),
        };
        return tried(compressor, () => compressor.keep([compressor.tokens(TRIAL[1])], signal));
      },
    }),
  };
}

/** `model`, once `use` of it succeeded. */
async function tried<T extends { dispose(): Promise<void> }>(
  model: T,
  use: () => Promise<unknown>,
): Promise<T> {
  try {
    await use();
    return model;
  } catch (error) {
    await model.dispose();
    throw error;
  }
}
