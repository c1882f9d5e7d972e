/** @file What encoding takes, told by its steps and by the entries it gives: the terms of the model of cost. */

import type { EncodeProgress } from "../memory/encode.ts";
import type { MemoryEntry } from "../records/memory.ts";
import type { CostModel, LengthRow } from "../records/cost.ts";
import { reach, type ModelSize } from "../plan/cost.ts";
import { workingTime } from "./timed.ts";

export class EncodeMeter {
  readonly #model: ModelSize;
  readonly #worked: () => number;
  readonly #lengths = new Map<string, LengthRow>();
  #batch: number | null = null;
  /** In all. */
  #seconds = 0;
  /** Seconds and token-steps, each times its reach, from step to step within a batch. */
  #stepSeconds = 0;
  #stepWork = 0;
  /** Token-steps times reach of all tries, and of those that became entries. */
  #spent = 0;
  #kept = 0;
  /** Slot-steps times reach. */
  #slots = 0;
  #parts = 0;

  /** `now` in milliseconds; the time begins with the meter. */
  constructor(model: ModelSize, now: () => number) {
    this.#model = model;
    this.#worked = workingTime(now);
  }

  /**
   * Token-steps times reach so far of facts that are not finished. Of what was spent, the finished ones took the steps
   * that were kept and tries that were not: together at least what was `expected` of them.
   */
  open(expected: number): number {
    return Math.max(0, this.#spent - Math.max(this.#kept, expected));
  }

  stepped({
    layer,
    batch,
    tokens,
    slots,
  }: Pick<EncodeProgress, "layer" | "batch" | "tokens" | "slots">): void {
    const gap = this.#gap();
    const work = tokens * reach(this.#model, layer);
    this.#spent += work;
    this.#slots += slots * reach(this.#model, layer);
    if (batch === this.#batch) {
      this.#stepSeconds += gap;
      this.#stepWork += work;
    }
    this.#batch = batch;
  }

  finished(entries: readonly MemoryEntry[]): void {
    this.#gap();
    this.#batch = null;
    this.#parts += entries.length;
    for (const { tokens, layer, report } of entries) {
      this.#kept += tokens * report.steps * reach(this.#model, layer);
      const { started = "zero", steps, exact } = report;
      const row = this.#lengths.get(`${tokens} ${started}`) ?? { parts: 0, steps: 0, exact: 0 };
      this.#lengths.set(`${tokens} ${started}`, {
        ...{ tokens, started },
        parts: row.parts + 1,
        steps: row.steps + steps,
        exact: row.exact + Number(exact),
      });
    }
  }

  /** What was seen. A run that was stopped says less of its tries than one that ended. */
  taken(): CostModel {
    if (this.#parts === 0 || this.#spent === 0) return { rates: {}, lengths: [] };
    // A part that took no step of its own was tried once all the same.
    const tries = this.#kept > 0 ? { total: Math.max(this.#spent, this.#kept), units: this.#kept } : ONCE;
    const step = { total: this.#stepSeconds, units: this.#stepWork };
    // Every step of a batch but the first has a gap of its own; with single steps there is none to go by.
    const stepping = step.units > 0 ? (step.total / step.units) * this.#spent : this.#seconds;
    return {
      rates: {
        step: step.units > 0 ? step : { total: this.#seconds, units: this.#spent },
        part: {
          total: Math.max(0, this.#seconds - stepping),
          units: (this.#parts * tries.total) / tries.units,
        },
        tries,
        slots: { total: this.#slots, units: this.#spent },
      },
      lengths: [...this.#lengths.values()].toSorted((a, b) => a.tokens - b.tokens),
    };
  }

  /** Seconds since the last event. */
  #gap(): number {
    const before = this.#seconds;
    this.#seconds = this.#worked() / 1000;
    return this.#seconds - before;
  }
}

const ONCE = { total: 1, units: 1 };
