/** @file Document -> where its sentences are and why each is a candidate, as flat arrays. */

import type { MethodParams } from "../records/params.ts";
import { reasonBit, type Document, type TextMarks } from "../records/source.ts";
import { candidateReasons } from "./candidates.ts";
import { sentences } from "./sentences.ts";

/** Marks every sentence of a document, for seconds with 10 MB; `turn` is awaited every few milliseconds. */
export async function markText(
  document: Document,
  filter: MethodParams["candidateFilter"],
  turn: () => Promise<void>,
): Promise<TextMarks> {
  const [starts, ends, kinds] = [new Growing(), new Growing(), new Growing()];
  for (const { text, start, end } of sentences(document)) {
    starts.push(start);
    ends.push(end);
    kinds.push(candidateReasons(text, filter).reduce((bits, reason) => bits | reasonBit(reason), 0));
    if (starts.length % SENTENCES_PER_TURN === 0) await turn();
  }
  return { starts: starts.take(), ends: ends.take(), kinds: Uint8Array.from(kinds.take()) };
}

const SENTENCES_PER_TURN = 400;

class Growing {
  length = 0;
  #values = new Uint32Array(1024);

  push(value: number): void {
    if (this.length === this.#values.length) {
      const larger = new Uint32Array(2 * this.length);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.length] = value;
    this.length += 1;
  }

  take(): Uint32Array<ArrayBuffer> {
    return this.#values.slice(0, this.length);
  }
}
