/** @file The text embedder that was chosen in place of the model's own. */

import { engineOf } from "../../engine/around.ts";
import type { Embedder } from "../../engine/embed.ts";
import type { Engine } from "../../engine/engine.ts";
import type { EmbedderReady } from "../../records/embedder.ts";
import type { EngineHost } from "../engineHost.ts";
import { createChosen, type Chosen, type Choosing } from "./chosen.ts";

export interface EmbedderSlot extends Chosen<Embedder> {
  /** What is in use beside the open model, where one is open. */
  ready(engine: Engine | null): EmbedderReady | null;
}

/** @param events what the slot needs to know of the models */
export function createEmbedderSlot(
  host: EngineHost,
  events: Pick<Choosing<Embedder>, "idle" | "changed">,
): EmbedderSlot {
  const chosen = createChosen<Embedder>(host, {
    ...events,
    what: "text embedder",
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
  return {
    ...chosen,
    ready: (engine) => {
      const used = chosen.current() ?? (engine && { name: engine.embedder, denseFloor: engine.denseFloor });
      return (
        used && { name: used.name, denseFloor: Number.isFinite(used.denseFloor) ? used.denseFloor : null }
      );
    },
  };
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
