/** @file What a scorer is given and what it gives. */

/** What an answer is held against. */
export interface Target {
  readonly question: string;
  /** Any of these is right. */
  readonly gold: readonly string[];
  /** Every answer that the task knows; null where answers are open. */
  readonly labels: readonly string[] | null;
}

export interface Scorer {
  /** The repository and commit whose rule this is. */
  readonly upstream: string;
  /** 0 to 1; null where the rule does not apply to this kind of question. */
  score(answer: string, target: Target): number | null;
}
