/**
 * @file The text embedder that was chosen in place of the model's own. It belongs to no model: it stays when another
 * one is opened, and goes when another is chosen.
 */

import { engineOf } from "../../engine/around.ts";
import type { Embedder } from "../../engine/embed.ts";
import type { Engine } from "../../engine/engine.ts";
import { present, throwIfCancelled } from "../../lib/assert.ts";
import type { EmbedderChoice, EmbedderReady } from "../../records/embedder.ts";
import type { ChooseEmbedder } from "../../rpc/protocol.ts";
import { createQueue } from "../../runtime/queue.ts";
import { blobModelFiles, type ModelFiles } from "../../weights/modelFiles.ts";
import type { EngineHost } from "../engineHost.ts";
import { downloaded } from "./files.ts";
import type { LoadCall } from "./load.ts";

export interface EmbedderSlot {
  /** Makes `argument` the embedder of all memories; where that fails the former stays. */
  choose(argument: ChooseEmbedder, call: LoadCall): Promise<void>;
  /** Null: the model's own. */
  current(): Embedder | null;
  /** What is in use beside the open model, where one is open. */
  ready(engine: Engine | null): EmbedderReady | null;
}

/** What the slot needs to know of the models. */
export interface EmbedderEvents {
  /** Resolves when nothing embeds. */
  idle(signal?: AbortSignal): Promise<void>;
  changed(): void;
}

export function createEmbedderSlot(host: EngineHost, events: EmbedderEvents): EmbedderSlot {
  let current: Embedder | null = null;
  const line = createQueue();

  async function replace({ choice, files }: ChooseEmbedder, call: LoadCall): Promise<void> {
    const next = choice && (await openChosen(host, choice, files, call));
    try {
      await events.idle(call.signal);
      throwIfCancelled(call.signal, "engine: changing the text embedder");
    } catch (error) {
      await next?.dispose?.();
      throw error;
    }
    const former = current;
    current = next;
    events.changed();
    await former?.dispose?.();
  }

  return {
    choose: (argument, call) =>
      line.run("engine: changing the text embedder", () => replace(argument, call), call.signal),
    current: () => current,
    ready: (engine) => {
      const used = current ?? (engine && { name: engine.embedder, denseFloor: engine.denseFloor });
      return (
        used && { name: used.name, denseFloor: Number.isFinite(used.denseFloor) ? used.denseFloor : null }
      );
    },
  };
}

/** Downloads what is missing of a choice, opens and tries it. */
async function openChosen(
  host: EngineHost,
  choice: EmbedderChoice,
  dropped: ChooseEmbedder["files"],
  call: LoadCall,
): Promise<Embedder> {
  const files = await filesOf(host, choice, dropped, call);
  throwIfCancelled(call.signal, "engine: opening the text embedder");
  call.onProgress?.({ stage: "weights", done: 0, total: 0 });
  // Its tokenizer came with it, and may never end.
  const guarded = <T>(work: () => Promise<T>): Promise<T> =>
    host.deadline.follow(`the text embedder ${files.name}`, work);
  const opened = await guarded(() =>
    host.openEmbedder(files, choice, {
      ...(call.signal ? { signal: call.signal } : {}),
      onOpened: () => call.onProgress?.({ stage: "pairs", done: 0, total: 0 }),
    }),
  );
  return {
    ...opened,
    embed: (...input) => guarded(() => opened.embed(...input)),
    embedQuestion: (...input) => guarded(() => opened.embedQuestion(...input)),
  };
}

async function filesOf(
  host: EngineHost,
  { from, dtype }: EmbedderChoice,
  dropped: ChooseEmbedder["files"],
  call: LoadCall,
): Promise<ModelFiles> {
  if (from.kind === "hub") return downloaded(host.hub, { ...from, onnx: dtype }, call);
  const { name } = from;
  const files = present(
    dropped,
    () => `engine: the files of the text embedder "${name}" are not here; drop the folder again`,
  );
  return blobModelFiles(name, files);
}

/** `engine` with the embedder of the moment where one is chosen. Its values stay live. */
export function withEmbedder(engine: Engine, chosen: () => Embedder | null): Engine {
  const values = () => {
    const other = chosen();
    if (!other) return engine;
    const { model, capabilities, encodeTokens, recorded, encode, decode, chat } = engine;
    const { name: embedder, identity: embedderIdentity, denseFloor } = other;
    const routing = { embedder, embedderIdentity, denseFloor };
    return { model, capabilities, ...routing, encodeTokens, recorded, encode, decode, chat };
  };
  return engineOf(values, {
    ...engine,
    embed: (texts, signal) => (chosen() ?? engine).embed(texts, signal),
    embedQuestion: (question, signal) => (chosen() ?? engine).embedQuestion(question, signal),
  });
}
