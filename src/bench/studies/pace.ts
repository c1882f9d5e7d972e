/** @file How long a study will still take: work in units of one encoded fact, and what a unit has taken lately. */

/** What the cases of a study cost. */
export interface Cost {
  /** Cases of one group share their encoding, which comes before the first of them. */
  readonly group: (id: string) => string;
  /** Facts that are encoded for a group. */
  readonly encodes: number;
  /** Facts that are recalled for a case. */
  readonly recalls: number;
}

/** A recall in units of an encoding, roughly, on any machine. */
const RECALL = 0.3;
/** Weight of the newest measurement, and how far it may stray: a pause is no pace. */
const NEWEST = 0.3;
const STRAY = 3;

export class Pace {
  readonly #cost: Cost;
  readonly #missing: ReadonlySet<string>;
  readonly #groups: readonly string[];
  readonly #finished = new Set<string>();
  #share = 0;
  #at: number;
  #done = 0;
  /** Milliseconds of a unit; null until one was measured. */
  #unit: number | null = null;

  /** `missing`: ids of the cases to come, in running order. `now`: milliseconds. */
  constructor(cost: Cost, missing: ReadonlySet<string>, now: number) {
    this.#cost = cost;
    this.#missing = missing;
    this.#groups = [...new Set([...missing].map(cost.group))];
    this.#at = now;
  }

  /** This share of the facts of the group under way is encoded. */
  encoded(share: number, now: number): void {
    this.#share = share;
    this.#measure(now);
  }

  finished(id: string, now: number): void {
    this.#finished.add(id);
    // Its group is encoded, and no other has begun.
    this.#share = 0;
    this.#measure(now);
  }

  /** Milliseconds to the end; null before anything was done. */
  left(): number | null {
    return this.#unit === null ? null : Math.max(0, (this.#total() - this.#done) * this.#unit);
  }

  #total(): number {
    return this.#groups.length * this.#cost.encodes + this.#missing.size * this.#cost.recalls * RECALL;
  }

  #measure(now: number): void {
    const { group, encodes, recalls } = this.#cost;
    const begun = new Set([...this.#finished].map(group)).size;
    const encoding = Math.min(this.#share, begun < this.#groups.length ? 1 : 0) * encodes;
    const done = begun * encodes + encoding + this.#finished.size * recalls * RECALL;
    if (done <= this.#done) return;
    const unit = (now - this.#at) / (done - this.#done);
    const near = this.#unit === null ? unit : Math.min(unit, STRAY * this.#unit);
    this.#unit = this.#unit === null ? near : NEWEST * near + (1 - NEWEST) * this.#unit;
    [this.#at, this.#done] = [now, done];
  }
}
