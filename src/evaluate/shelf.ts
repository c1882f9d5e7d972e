/** @file Memories, sentences and tokens of the current text, shared by methods. Memories of backgrounds are kept for the next texts. */

import { openMemory, type OpenMemory } from "../flow/answer.ts";
import type { FlowContext } from "../flow/context.ts";
import { memorize } from "../flow/memorize.ts";
import { withRecordedLayers, planLayers } from "../flow/layerProbe.ts";
import { candidates } from "../ingest/candidates.ts";
import { sentences } from "../ingest/sentences.ts";
import { makeDocument } from "../ingest/text.ts";
import { present } from "../lib/assert.ts";
import { sha256Hex } from "../lib/hash.ts";
import { omit } from "../lib/omit.ts";
import { once } from "../lib/promises.ts";
import { factId, type FactId } from "../records/ids.ts";
import { keyOf, type MethodParams } from "../records/params.ts";
import type { LayerPlan } from "../records/plan.ts";
import type { Document } from "../records/source.ts";
import type { KeptMemory } from "../records/vectors.ts";
import { needsVector } from "../router/route.ts";
import type { Store } from "../store/port.ts";
import { passagesOf, textTokens } from "./tokens.ts";

export interface Shelved {
  readonly open: OpenMemory;
  readonly milliseconds: number;
  readonly values: ReadonlyMap<FactId, string>;
}

/** A text whose memory adds a story to the memory of a background. */
export interface Grown {
  /** The background in pieces, of which shorter backgrounds have the first ones. */
  readonly background: readonly string[];
  readonly own: string;
}

interface Background extends Omit<Shelved, "open"> {
  readonly name: string;
  readonly store: Store;
  readonly memory: KeptMemory;
}

interface Timed<T> {
  readonly value: T;
  readonly milliseconds: number;
}

/** The context of memories; each gets a separate store. One with a name may outlast the process. */
type ShelfContext = Omit<FlowContext, "store" | "params"> & {
  readonly newStore: (name?: string) => Store;
  /** A store of additions to a memory, which itself stays as it is. */
  readonly additionsTo: (memory: KeptMemory) => Store;
};

export class Shelf {
  readonly #made = new Map<string, Promise<Shelved | null>>();
  readonly #backgrounds = new Map<string, Background>();
  readonly #layers = new Map<string, Promise<LayerPlan>>();
  readonly #sentences = new Map<string, Timed<readonly string[]>>();
  readonly #tokens = new Map<string, Timed<readonly number[]>>();
  #lent = 0;

  constructor(private readonly context: ShelfContext) {}

  /** The memory of `text` with `params`, by way of its background if it is `grown`; null if the text has no fact to store. */
  of(text: string, params: MethodParams, grown?: Grown): Promise<Shelved | null> {
    const make = () => (grown ? this.#grown(grown, params) : this.#alone(text, params));
    return once(this.#made, JSON.stringify([grown ?? text, params]), make);
  }

  /** The sentences of `text`. */
  sentences(text: string): readonly string[] {
    return this.#shared(this.#sentences, text, passagesOf);
  }

  /** The tokens of `text`, without a start token. */
  tokens(text: string): readonly number[] {
    return this.#shared(this.#tokens, text, () => textTokens(this.context.engine, text));
  }

  /** The clock of preparations. It counts shared work for every method that uses it, so each takes as long as alone. */
  now(): number {
    return this.context.now() + this.#lent;
  }

  #shared<T>(made: Map<string, Timed<T>>, text: string, make: (text: string) => T): T {
    const known = made.get(text);
    if (known) {
      this.#lent += known.milliseconds;
      return known.value;
    }
    const started = this.context.now();
    const value = make(text);
    made.set(text, { value, milliseconds: this.context.now() - started });
    return value;
  }

  /** Discards all memories but those of backgrounds; the layers that a probe chose are kept. */
  async clear(): Promise<void> {
    const made = await Promise.allSettled(this.#made.values());
    this.#made.clear();
    this.#sentences.clear();
    this.#tokens.clear();
    for (const one of made) if (one.status === "fulfilled") one.value?.open.dispose();
  }

  async #alone(text: string, params: MethodParams): Promise<Shelved | null> {
    if (!hasCandidate(text, params)) return null;
    const documents = [makeDocument("source", text)];
    const store = this.context.newStore();
    const milliseconds = await this.#memorize(store, documents, params);
    const memory = present(await store.open(), () => EMPTY);
    const open = openMemory(this.context.engine, memory, params);
    return { open, milliseconds, values: storedValues(memory, documents) };
  }

  async #grown({ background, own }: Grown, params: MethodParams): Promise<Shelved> {
    const shared = await this.#background(background, params);
    const { memory, values, milliseconds } = shared;
    // One background serves all parameters of questions.
    const asked = { ...memory, params: { ...params, partTokens: memory.params.partTokens } };
    const store = await this.#storeOn(shared, asked);
    const documents = hasCandidate(own, params) ? [makeDocument("own facts", own)] : [];
    const added = documents.length > 0 ? await this.#memorize(store, documents, params) : 0;
    const grown = present(await store.open(), () => EMPTY);
    return {
      open: openMemory(this.context.engine, grown, params),
      milliseconds: milliseconds + added,
      values: storedValues(grown, documents, values),
    };
  }

  /** A store that begins with a background, which stays as it is; a copy of it where new facts may replace older ones. */
  async #storeOn({ store }: Background, memory: KeptMemory): Promise<Store> {
    if (memory.params.depthOver !== "memory") return this.context.additionsTo(memory);
    const copy = this.context.newStore();
    await copy.take(present(await store.pieces(), () => EMPTY));
    return copy;
  }

  /** The memory of a background: a kept one, or that of a shorter background with the last piece added. */
  async #background(pieces: readonly string[], params: MethodParams): Promise<Background> {
    const { engine, newStore } = this.context;
    const made = keyOf(params, "candidates", "anchors", "budget", "layers", "encode", "index");
    const vectors = needsVector(params) ? ["vectors of anchors"] : [];
    const meanings =
      params.ranking === "learned"
        ? ["meanings of facts", (await import("../router/meaning.ts")).EDITION]
        : [];
    const by = [engine.model.sha256, made, pieces, ...vectors, ...meanings];
    const name = sha256Hex(JSON.stringify(by)).slice(0, 24);
    const known = this.#backgrounds.get(name);
    if (known) return known;
    const documents = pieces.map((piece, i) => makeDocument(`background ${i + 1}`, piece));
    const store = newStore(name);
    let milliseconds = 0;
    if (pieces.length > 1 && (await store.revision()) === null) {
      const shorter = await this.#background(pieces.slice(0, -1), params);
      await store.take(present(await shorter.store.pieces(), () => EMPTY));
      this.#backgrounds.delete(shorter.name);
      milliseconds = shorter.milliseconds;
    }
    const stored = await store.open();
    const sources = new Set(stored?.sources.map(({ id }) => id));
    const isWhole = stored?.waiting.length === 0 && documents.every(({ id }) => sources.has(id));
    if (!isWhole) milliseconds += await this.#memorize(store, documents, params);
    const memory = present(await store.open(), () => EMPTY);
    const background = { name, store, memory, milliseconds, values: storedValues(memory, documents) };
    this.#backgrounds.set(name, background);
    return background;
  }

  async #memorize(store: Store, documents: readonly Document[], params: MethodParams): Promise<number> {
    const context: FlowContext = { ...omit(this.context, "newStore", "additionsTo"), params, store };
    const { layers, parts } = await this.#layersOf(context);
    const started = context.now();
    await memorize({ ...context, layers, ...(parts ? { parts } : {}) }, documents);
    return context.now() - started;
  }

  /** Storage layers and part length depend on the model and the encoding parameters: one probe serves all texts. */
  #layersOf(context: FlowContext): Promise<LayerPlan> {
    const probe = (): Promise<LayerPlan> => planLayers(withRecordedLayers(context));
    return once(this.#layers, keyOf(context.params, "layers", "encode"), probe);
  }
}

const EMPTY = "evaluate: the memory of the text is not stored";

/** Values of the stored facts by id: of `earlier` ones, and of some documents the sentence at the fact's offset. */
function storedValues(
  { routing }: Pick<KeptMemory, "routing">,
  documents: readonly Document[],
  earlier: ReadonlyMap<FactId, string> = new Map(),
) {
  const stored = new Set(routing.flatMap(({ facts }) => facts.map(({ id }) => id)));
  const all = documents.flatMap((document) =>
    Array.from(sentences(document), ({ start, text }) => [factId(document.id, start), text] as const),
  );
  return new Map([...earlier, ...all].filter(([id]) => stored.has(id)));
}

function hasCandidate(text: string, { candidateFilter }: MethodParams): boolean {
  if (text.trim() === "") return false;
  const first = candidates(sentences(makeDocument("source", text)), candidateFilter).next();
  return first.done !== true;
}
