/** @file Interceptors of an engine's device calls, those of open layers and encoders included: pausing, recovery, timing. */

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

/** Performs a call: later, several times, or not at all. The signal passed to `call` is added to the caller's. */
type Interceptor = <T>(name: CallName, call: (signal?: AbortSignal) => Promise<T>) => Promise<T>;

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
  write: 1,
  check: 1,
  readSpan: 2,
  readEach: 2,
  lens: 1,
  recall: 1,
};
const LAYER_CALLS: Readonly<Record<keyof LayerCalls, number>> = { similarity: 1, softRecall: 3 };
const ENCODER_CALLS = { step: 1, replace: 1, feed: 1, state: 0 } satisfies Record<keyof EncoderCalls, number>;

/** `engine` with `interceptor` around every call that computes on its device. Its values stay live. */
export const intercept = (engine: Engine, interceptor: Interceptor): Engine =>
  composeEngine(() => engine, {
    ...callsOf(() => engine, ENGINE_CALLS, interceptor),
    openLayer: (...vectors) => interceptLayer(engine.openLayer(...vectors), interceptor),
    openEncoder: async (rows, options, own) => {
      const open = (signal?: AbortSignal) => engine.openEncoder(rows, options, either(own, signal));
      return interceptEncoder(await interceptor("openEncoder", open), interceptor);
    },
    dispose: () => engine.dispose(),
  });

const interceptLayer = (layer: LayerMemory, interceptor: Interceptor): LayerMemory => ({
  layer: layer.layer,
  entries: layer.entries,
  ...callsOf(() => layer, LAYER_CALLS, interceptor),
  dispose: () => layer.dispose(),
});

const interceptEncoder = (encoder: Encoder, interceptor: Interceptor): Encoder => ({
  slots: encoder.slots,
  ...callsOf(() => encoder, ENCODER_CALLS, interceptor),
  dispose: () => encoder.dispose(),
});

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

const VALUES: Readonly<Record<keyof EngineValues, true>> = {
  model: true,
  capabilities: true,
  embedder: true,
  embedderIdentity: true,
  denseFloor: true,
  encodeTokens: true,
  recorded: true,
  writer: true,
  reader: true,
  encode: true,
  decode: true,
  chat: true,
};

/** An engine with the current result of `values` and with `calls`; no value is copied. */
export function composeEngine(values: () => EngineValues, calls: DeviceCalls): Engine {
  const engine = { ...calls };
  for (const name of Object.keys(VALUES) as (keyof EngineValues)[])
    Object.defineProperty(engine, name, { get: () => values()[name], enumerable: true });
  return engine as Engine;
}

const either = (own: AbortSignal | undefined, other: AbortSignal | undefined): AbortSignal | undefined =>
  own && other && own !== other ? AbortSignal.any([own, other]) : (own ?? other);
