/**
 * @file Interceptors of an engine's device calls, those of open layers and encoders included. Pausing, recovery after a
 * lost device, counting and timing are each one function of a call.
 */

import type {
  CallName,
  DeviceCalls,
  EncoderCalls,
  Encoder,
  Engine,
  EngineValues,
  LayerCalls,
  LayerMemory,
} from "./engine.ts";

/**
 * Performs a call: after waiting for something, several times, or not at all. The signal passed to `call` stops the call
 * in addition to the caller's signal.
 */
export type Interceptor = <T>(name: CallName, call: (signal?: AbortSignal) => Promise<T>) => Promise<T>;

/** Position of the signal among the arguments of each call on an engine. */
export const ENGINE_CALLS: Readonly<
  Record<Exclude<keyof DeviceCalls, "openLayer" | "openEncoder" | "dispose">, number>
> = {
  generate: 2,
  embed: 1,
  embedQuestion: 1,
  readKeys: 2,
  readActivations: 2,
  readStates: 2,
  lens: 1,
  recall: 1,
};
const LAYER_CALLS: Readonly<Record<keyof LayerCalls, number>> = { similarity: 1, softRecall: 3 };
const ENCODER_CALLS: Readonly<Record<keyof EncoderCalls, number>> = {
  step: 1,
  replace: 1,
  feed: 1,
  state: 0,
};

/** `engine` with `interceptor` around every call that computes on its device. Its values stay live. */
export function intercept(engine: Engine, interceptor: Interceptor): Engine {
  return composeEngine(() => engine, {
    ...callsOf(() => engine, ENGINE_CALLS, interceptor),
    openLayer: (...vectors) => interceptLayer(engine.openLayer(...vectors), interceptor),
    openEncoder: async (rows, options, own) => {
      const open = (signal?: AbortSignal) => engine.openEncoder(rows, options, either(own, signal));
      return interceptEncoder(await interceptor("openEncoder", open), interceptor);
    },
    dispose: () => engine.dispose(),
  });
}

function interceptLayer(layer: LayerMemory, interceptor: Interceptor): LayerMemory {
  return {
    layer: layer.layer,
    entries: layer.entries,
    ...callsOf(() => layer, LAYER_CALLS, interceptor),
    dispose: () => layer.dispose(),
  };
}

function interceptEncoder(encoder: Encoder, interceptor: Interceptor): Encoder {
  return {
    get slots() {
      return encoder.slots;
    },
    ...callsOf(() => encoder, ENCODER_CALLS, interceptor),
    dispose: () => encoder.dispose(),
  };
}

type AnyCall = (...input: unknown[]) => Promise<unknown>;

/** The calls named by `signalAt`, each performed by `interceptor` on the `target` of that moment. */
export function callsOf<T, N extends keyof T & CallName>(
  target: () => T,
  signalAt: Readonly<Record<N, number>>,
  interceptor: Interceptor = (_, call) => call(),
): Pick<T, N> {
  const calls = (Object.keys(signalAt) as N[]).map((name) => {
    const call: AnyCall = (...input) =>
      interceptor(name, (signal) => {
        const on = target();
        const passed = [...input];
        passed[signalAt[name]] = either(input[signalAt[name]] as AbortSignal | undefined, signal);
        return (on[name] as AnyCall).apply(on, passed);
      });
    return [name, call];
  });
  return Object.fromEntries(calls) as Pick<T, N>;
}

/** An engine with the current result of `values` and with `calls`; no value is copied. */
export function composeEngine(values: () => EngineValues, calls: DeviceCalls): Engine {
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
