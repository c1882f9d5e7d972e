/** @file The stored vectors of each layer on the device, and their addresses: activations, minus the centre c(ℓ) of the layer if it has one. Beyond a budget the least recently used block leaves first. */

import type { Engine, LayerMemory } from "../engine/engine.ts";
import { throwIfCancelled, assert } from "../lib/assert.ts";
import { groupBy } from "../lib/group.ts";
import { createQueue } from "../lib/queue.ts";
import {
  formOfRows,
  FORM_BYTES,
  type Form,
  joined,
  toLevels,
  unpackRow,
  unpackRows,
  type Rows,
} from "../lib/vectorForms.ts";
import type { FactId, LayerIndex } from "../records/ids.ts";
import { DEVICE_BYTES, type EntryMeta, type KeyCentre, type Memory } from "../records/memory.ts";
import { loadedBlocks, withVectors, type VectorBlock, type EntryVectors } from "../records/vectors.ts";
import { norm, unit } from "../lib/vector.ts";

export interface StoredVectors extends Pick<Memory, "entries"> {
  readonly centres?: Memory["centres"] | undefined;
}

/** c(ℓ) [dFf]; undefined if keys of the layer are compared as they are. */
export const centreOf = (centres: StoredVectors["centres"], layer: LayerIndex): Float32Array | undefined =>
  centres?.find((one) => one.layer === layer)?.vector;

/** k̂ = (a - c) / |a - c|. @throws if a = c, with the `name` of the fact: the similarity to every key would be 0 */
export function addressOf(
  activation: Float32Array,
  centre: Float32Array | undefined,
  name: string,
): Float32Array {
  const apart = apartFrom(activation, centre);
  assert(norm(apart) > 0, () => `memory: the key activation of ${name} is ${centre ? "the centre" : "zero"}`);
  return unit(apart);
}

const apartFrom = (activation: Float32Array, centre: Float32Array | undefined): Float32Array =>
  centre ? activation.map((x, i) => x - centre[i]!) : activation;

export function openVectors(
  engine: Pick<Engine, "openLayer">,
  entries: readonly EntryVectors[],
  centres: StoredVectors["centres"],
): LayerMemory {
  const { layer } = entries[0]!;
  return engine.openLayer(
    layer,
    joined(entries.map(({ key }) => key)),
    () => joined(entries.map(({ residual }) => residual)),
    centreOf(centres, layer),
  );
}

export interface KeptVectors {
  readonly entries: readonly EntryMeta[];
  readonly blocks: readonly VectorBlock[];
  readonly centres?: readonly KeyCentre[] | undefined;
}

export const keptVectors = (stored: StoredVectors | KeptVectors): KeptVectors =>
  "blocks" in stored ? stored : { ...stored, blocks: loadedBlocks(stored.entries) };

interface OpenBlock {
  readonly memory: LayerMemory;
  /** On the host: a block is read once for its keys and the residuals of all questions. */
  readonly residuals: Rows;
  readonly bytes: number;
  readonly levels: boolean;
}

interface LayerRead {
  readonly similarities: readonly Float32Array[];
  readonly residuals: readonly (Float32Array | null)[];
}

export class Layers {
  readonly #stored: KeptVectors;
  /** Whether keys stay packed if their form allows it: as float32 they would be over the budget, and be read again for every question. */
  readonly #packed: boolean;
  readonly #entries: ReadonlyMap<number, readonly EntryMeta[]>;
  /** Index of each entry among those of its layer. */
  readonly #placeOf: ReadonlyMap<EntryMeta, number>;
  readonly #places = new Map<number, ReadonlyMap<FactId, readonly number[]>>();
  readonly #open = new Map<VectorBlock, OpenBlock>();
  /** Layers that the soft read mixes: they stay until the end, since facts of all layers come in turn. */
  readonly #whole = new Map<number, LayerMemory>();
  /** Calls run one at a time: one may free the blocks that another reads. */
  readonly #queue = createQueue();

  constructor(
    private readonly engine: Engine,
    stored: StoredVectors | KeptVectors,
    private readonly budget = DEVICE_BYTES,
  ) {
    this.#stored = keptVectors(stored);
    this.#entries = groupBy(stored.entries, (entry) => entry.layer as number);
    this.#placeOf = new Map(
      [...this.#entries.values()].flatMap((own) => own.map((entry, at) => [entry, at])),
    );
    this.#packed = this.#stored.blocks.reduce((sum, { entries }) => sum + this.#bytesOf(entries), 0) > budget;
  }

  get layers(): number[] {
    return [...this.#entries.keys()].sort((a, b) => a - b);
  }

  entries(layer: number): readonly EntryMeta[] {
    return this.#entries.get(layer) ?? [];
  }

  /** Index of a part among the entries of its layer; -1 if it is not stored there. */
  placeOf({ layer, id, part }: Pick<EntryMeta, "layer" | "id" | "part">): number {
    const entries = this.entries(layer);
    const places = this.#places.get(layer) ?? groupBy(entries.keys(), (place) => entries[place]!.id);
    this.#places.set(layer, places);
    return places.get(id)?.find((place) => entries[place]!.part === part) ?? -1;
  }

  /**
   * Cosines of activations, minus the centre, with every key of a layer, [entries] per query; and the residuals [dModel] at
   * `places`, null without an entry. @throws Cancelled
   */
  read(
    layer: LayerIndex,
    activations: readonly Float32Array[],
    places: readonly number[] = [],
    signal?: AbortSignal,
  ): Promise<LayerRead> {
    const job = () => this.#read(layer, activations, places, signal);
    return this.#queue.run(CANCELLED, job, signal);
  }

  /** Runs `work` on all vectors of a layer, which the soft read mixes; null if the layer is empty. @throws Cancelled */
  whole<T>(
    layer: LayerIndex,
    work: (memory: LayerMemory) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T | null> {
    const job = async (): Promise<T | null> =>
      this.entries(layer).length === 0 ? null : work(await this.#openWhole(layer));
    return this.#queue.run(CANCELLED, job, signal);
  }

  dispose(): void {
    for (const memory of this.#whole.values()) memory.dispose();
    for (const { memory } of this.#open.values()) memory.dispose();
    this.#whole.clear();
    this.#open.clear();
  }

  async #read(
    layer: LayerIndex,
    activations: readonly Float32Array[],
    places: readonly number[],
    signal: AbortSignal | undefined,
  ): Promise<LayerRead> {
    const asked = groupBy(places.keys(), (n) => places[n]!);
    // Of a prompt's own key the query is then the key itself.
    const centre = centreOf(this.#stored.centres, layer);
    let rounded: readonly Float32Array[] | undefined;
    const levels = () => (rounded ??= activations.map((one) => toLevels(apartFrom(one, centre))));
    const similarities = activations.map(() => new Float32Array(this.entries(layer).length));
    const residuals = places.map((): Float32Array | null => null);
    // Those on the device first: in any fixed order each would be evicted just before its turn.
    const blocks = this.#stored.blocks.filter((one) => one.layer === layer);
    const here = groupBy(blocks, (block) => this.#open.has(block));
    for (const block of [...(here.get(true) ?? []), ...(here.get(false) ?? [])]) {
      throwIfCancelled(signal, CANCELLED);
      const open = await this.#openBlock(block);
      const rows = await open.memory.similarity(open.levels ? levels() : activations, signal);
      const at = block.entries.map((entry) => this.#placeOf.get(entry)!);
      for (const [n, row] of rows.entries())
        for (let i = 0; i < at.length; i++) similarities[n]![at[i]!] = row[i]!;
      for (const [i, place] of at.entries())
        for (const n of asked.get(place) ?? [])
          residuals[n] = unpackRow(open.residuals, this.engine.model.dModel, i);
    }
    return { similarities, residuals };
  }

  async #openBlock(block: VectorBlock): Promise<OpenBlock> {
    const open = this.#open.get(block) ?? this.#upload(block, await block.read());
    this.#open.delete(block);
    this.#open.set(block, open);
    return open;
  }

  #upload(block: VectorBlock, { keys, residuals }: Awaited<ReturnType<VectorBlock["read"]>>): OpenBlock {
    const { dFf } = this.engine.model;
    const levels = formOfRows(keys) === "levels";
    const packed = levels && this.#packed;
    const bytes = this.#bytesOf(block.entries, packed ? "levels" : "float32");
    this.#makeRoom(bytes);
    const centre = levels ? undefined : centreOf(this.#stored.centres, block.layer);
    // The soft read opens a whole layer: a single block needs no residuals.
    const none = (): never => {
      throw new Error("memory: a block has no residuals on the device");
    };
    const memory = this.engine.openLayer(block.layer, packed ? keys : unpackRows(keys, dFf), none, centre);
    return { memory, residuals, bytes, levels };
  }

  /** Of the keys and a centre. */
  #bytesOf(entries: readonly EntryMeta[], form: Form = "float32"): number {
    return (entries.length + 1) * this.engine.model.dFf * FORM_BYTES[form];
  }

  #makeRoom(bytes: number): void {
    let taken = [...this.#open.values()].reduce((sum, open) => sum + open.bytes, bytes);
    for (const [block, open] of this.#open) {
      if (taken <= this.budget) return;
      open.memory.dispose();
      this.#open.delete(block);
      taken -= open.bytes;
    }
  }

  async #openWhole(layer: LayerIndex): Promise<LayerMemory> {
    const known = this.#whole.get(layer);
    if (known) return known;
    const { blocks, centres } = this.#stored;
    const own = { model: this.engine.model, blocks: blocks.filter((block) => block.layer === layer) };
    const opened = openVectors(this.engine, await withVectors(own, this.entries(layer)), centres);
    this.#whole.set(layer, opened);
    return opened;
  }
}

const CANCELLED = "memory: reading a layer";
