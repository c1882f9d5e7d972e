/**
 * @file Standing around an engine's device calls: pausing, recovery after a lost device, counting and timing are each
 * one function of a call, and reach every call, those of open layers and encoders too.
 */

import type { CallName, DeviceCalls, Encoder, Engine, EngineValues, LayerMemory } from "./engine.ts";

/**
 * Does a call its own way: before something, after it, again, or not at all. The signal it gives to `call` stops the
 * call as well as the caller's own.
 */
export type Around = <T>(name: CallName, call: (signal?: AbortSignal) => Promise<T>) => Promise<T>;

/** `engine` with `wrap` around every call that computes on its device. Its values stay live. */
export function around(engine: Engine, wrap: Around): Engine {
  return engineOf(() => engine, {
    generate: (turns, options, own) =>
      wrap("generate", (signal) => engine.generate(turns, options, either(own, signal))),
    embed: (texts, own) => wrap("embed", (signal) => engine.embed(texts, either(own, signal))),
    embedQuestion: (question, own) =>
      wrap("embedQuestion", (signal) => engine.embedQuestion(question, either(own, signal))),
    readKeys: (prompts, layers, own) =>
      wrap("readKeys", (signal) => engine.readKeys(prompts, layers, either(own, signal))),
    readActivations: (ids, layer, own) =>
      wrap("readActivations", (signal) => engine.readActivations(ids, layer, either(own, signal))),
    readStates: (rows, layer, own) =>
      wrap("readStates", (signal) => engine.readStates(rows, layer, either(own, signal))),
    lens: (request, own) => wrap("lens", (signal) => engine.lens(request, either(own, signal))),
    recall: (rows, own) => wrap("recall", (signal) => engine.recall(rows, either(own, signal))),
    openLayer: (...vectors) => aroundLayer(engine.openLayer(...vectors), wrap),
    openEncoder: async (rows, options, own) => {
      const open = (signal?: AbortSignal) => engine.openEncoder(rows, options, either(own, signal));
      return aroundEncoder(await wrap("openEncoder", open), wrap);
    },
    dispose: () => engine.dispose(),
  });
}

function aroundLayer(layer: LayerMemory, wrap: Around): LayerMemory {
  return {
    layer: layer.layer,
    entries: layer.entries,
    similarity: (queries, own) =>
      wrap("similarity", (signal) => layer.similarity(queries, either(own, signal))),
    softRecall: (prompt, tokens, read, own) =>
      wrap("softRecall", (signal) => layer.softRecall(prompt, tokens, read, either(own, signal))),
    dispose: () => layer.dispose(),
  };
}

function aroundEncoder(encoder: Encoder, wrap: Around): Encoder {
  return {
    get slots() {
      return encoder.slots;
    },
    step: (rows, own) => wrap("step", (signal) => encoder.step(rows, either(own, signal))),
    replace: (changes, own) => wrap("replace", (signal) => encoder.replace(changes, either(own, signal))),
    feed: (prefixes, own) => wrap("feed", (signal) => encoder.feed(prefixes, either(own, signal))),
    state: () => wrap("state", () => encoder.state()),
    dispose: () => encoder.dispose(),
  };
}

/** One engine of the values of the moment and the calls on its device; nothing is copied out of `values`. */
export function engineOf(values: () => EngineValues, calls: DeviceCalls): Engine {
  return {
    ...calls,
    get model() {
      return values().model;
    },
    get capabilities() {
      return values().capabilities;
    },
    get embedder() {
      return values().embedder;
    },
    get embedderIdentity() {
      return values().embedderIdentity;
    },
    get denseFloor() {
      return values().denseFloor;
    },
    get encodeTokens() {
      return values().encodeTokens;
    },
    get recorded() {
      return values().recorded;
    },
    encode: (text) => values().encode(text),
    decode: (ids) => values().decode(ids),
    chat: (user) => values().chat(user),
  };
}

/** Fires with the first of two signals. */
function either(own: AbortSignal | undefined, other: AbortSignal | undefined): AbortSignal | undefined {
  return own && other && own !== other ? AbortSignal.any([own, other]) : (own ?? other);
}
