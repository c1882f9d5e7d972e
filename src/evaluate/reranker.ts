/** @file A cross-encoder as this folder needs one: whoever runs it, it scores pairs. */

export interface Reranker {
  readonly name: string;
  /** The raw logit of each passage beside the question: the larger, the better. */
  score(question: string, passages: readonly string[]): Promise<readonly number[]>;
}
