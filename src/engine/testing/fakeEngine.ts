/** @file Test support: an engine without a model, which tells what is called on it and with which signal. */

import { countOf } from "../../lib/vectorForms.ts";
import { composeEngine } from "../intercept.ts";
import type { CallName, Encoder, EncodeRow, Engine, EngineValues, LayerMemory } from "../engine.ts";

export interface FakeEngine {
  readonly engine: Engine;
  readonly calls: readonly { readonly name: CallName; readonly signal: AbortSignal | undefined }[];
  /** The facts of every batch that was opened. */
  readonly opened: readonly (readonly EncodeRow[])[];
}

/** Values of no model in particular, but for those given. */
export function fakeValues(over: Partial<EngineValues> = {}): EngineValues {
  return {
    model: {
      name: "fake",
      architecture: "none",
      sha256: "0",
      layers: 4,
      dModel: 2,
      dFf: 3,
      vocabulary: 9,
      window: 64,
    },
    capabilities: { backend: "cpu", description: "", f16: false, threads: 1, limits: {}, runtime: "none" },
    embedder: "none",
    embedderIdentity: "none",
    denseFloor: 0.5,
    encodeTokens: 100,
    recorded: null,
    writer: null,
    reader: null,
    encode: () => [],
    decode: () => "",
    chat: () => [],
    ...over,
  };
}

/** An engine of `values`; `during` happens in the middle of every call. */
export function fakeEngine(values: EngineValues, during: () => Promise<void> = async () => {}): FakeEngine {
  const calls: { name: CallName; signal: AbortSignal | undefined }[] = [];
  const opened: (readonly EncodeRow[])[] = [];
  const did = async <T>(name: CallName, signal: AbortSignal | undefined, result: T): Promise<T> => {
    calls.push({ name, signal });
    await during();
    return result;
  };
  const layer = (entries: number): LayerMemory => ({
    layer: 0,
    entries,
    similarity: (_, signal) => did("similarity", signal, []),
    softRecall: (_prompt, _tokens, _read, signal) =>
      did("softRecall", signal, { tokens: [], similarity: new Float32Array(), openPositions: [] }),
    dispose: () => undefined,
  });
  const encoder: Encoder = {
    slots: 0,
    step: (_, signal) => did("step", signal, { losses: [], hits: [] }),
    replace: (_, signal) => did("replace", signal, undefined),
    feed: (_, signal) => did("feed", signal, undefined),
    state: () => did("state", undefined, []),
    dispose: () => undefined,
  };
  const engine = composeEngine(() => values, {
    generate: (_turns, _options, signal) => did("generate", signal, []),
    embed: (_, signal) => did("embed", signal, []),
    embedQuestion: (_, signal) => did("embedQuestion", signal, new Float32Array(2)),
    readKeys: (_prompts, _layers, signal) => did("readKeys", signal, []),
    readActivations: (_ids, _layer, signal) => did("readActivations", signal, []),
    readStates: (_rows, _layer, signal) => did("readStates", signal, []),
    write: (_, signal) => did("write", signal, []),
    check: (_, signal) => did("check", signal, []),
    readSpan: (_question, _sentences, signal) => did("readSpan", signal, null),
    readEach: (_question, _sentences, signal) => did("readEach", signal, null),
    lens: (_, signal) => did("lens", signal, []),
    recall: (_, signal) => did("recall", signal, []),
    openLayer: (_, keys) => layer(countOf(keys) / values.model.dFf),
    openEncoder: (rows, _options, signal) => {
      opened.push(rows);
      return did("openEncoder", signal, encoder);
    },
    dispose: () => Promise.resolve(),
  });
  return { engine, calls, opened };
}

const PROMPT = { ids: [1, 2, 3], keyPosition: 1 };

/** One call of every kind on `engine`, each of which may be made alone. A name that is missing does not compile. */
export const EVERY_CALL: { readonly [Name in CallName]: (engine: Engine) => Promise<unknown> } = {
  generate: (engine) => engine.generate(["Hello."], { maxTokens: 1 }),
  embed: (engine) => engine.embed(["Hello."]),
  embedQuestion: (engine) => engine.embedQuestion("Hello?"),
  readKeys: (engine) => engine.readKeys([PROMPT], [0]),
  readActivations: (engine) => engine.readActivations([1, 2], 0),
  readStates: (engine) => engine.readStates([[1, 2]], 0),
  write: (engine) => engine.write([]),
  check: (engine) => engine.check([]),
  readSpan: (engine) => engine.readSpan("Who?", []),
  readEach: (engine) => engine.readEach("Who?", []),
  lens: (engine) => engine.lens({ ids: [1], injection: null, at: [], top: 1 }),
  recall: (engine) => engine.recall([]),
  similarity: (engine) => openLayer(engine).similarity([]),
  softRecall: (engine) => openLayer(engine).softRecall(PROMPT, 1, { beta: 50, theta: 0.6 }),
  openEncoder: (engine) => openEncoder(engine),
  step: async (engine) => (await openEncoder(engine)).step([]),
  replace: async (engine) => (await openEncoder(engine)).replace([]),
  feed: async (engine) => (await openEncoder(engine)).feed([]),
  state: async (engine) => (await openEncoder(engine)).state(),
};

const openLayer = (engine: Engine): LayerMemory =>
  engine.openLayer(0, new Float32Array(6), () => new Float32Array(4));

const openEncoder = (engine: Engine): Promise<Encoder> =>
  engine.openEncoder([], { layer: 0, beta1: 0.9, beta2: 0.999 });
