/** @file Keeps caches of prompts that were read for their keys, for the recall of the same prompts. */

import type { DeviceTensor } from "../runtime/device.ts";
import type { RecallPrompt } from "./engine.ts";

/** A cache of all layers, as past.{layer}.key|value, with the pads of its rows. */
interface PrefixCache {
  readonly cache: Record<string, DeviceTensor>;
  readonly pads: number[];
}

/** A batch of prompts whose rows fill the program, with the final number of tokens of each row. */
interface PrefixBatch {
  readonly prompts: readonly RecallPrompt[];
  readonly columns: number;
  readonly length: readonly number[];
}

/** Limit for all kept caches; anything larger is read again. */
const KEPT_BYTES = 2 ** 28;

export class KeptPrefixes {
  readonly #kept = new Map<string, PrefixCache>();

  /** Whether a cache of so many bytes may be kept. */
  hasRoom(bytes: number): boolean {
    const kept = [...this.#kept.values()].flatMap(({ cache }) => Object.values(cache));
    return kept.reduce((sum, tensor) => sum + tensor.bytes, bytes) <= KEPT_BYTES;
  }

  /** Takes `read` over. */
  keep(batch: PrefixBatch, read: PrefixCache): void {
    this.#drop(keyOf(batch));
    this.#kept.set(keyOf(batch), read);
  }

  /** The kept cache of `batch`, which now belongs to the caller. */
  take(batch: PrefixBatch): PrefixCache | undefined {
    const found = this.#kept.get(keyOf(batch));
    this.#kept.delete(keyOf(batch));
    return found;
  }

  clear(): void {
    for (const key of [...this.#kept.keys()]) this.#drop(key);
  }

  #drop(key: string): void {
    for (const tensor of Object.values(this.#kept.get(key)?.cache ?? {})) tensor.dispose();
    this.#kept.delete(key);
  }
}

/** The tokens before the keys, and everything that decides their positions. */
const keyOf = ({ prompts, columns, length }: PrefixBatch): string =>
  `${columns} ${length.join()} ${prompts.map(({ ids, keyPosition }) => ids.slice(0, keyPosition).join()).join(" ")}`;
