/** @file A token classifier as LLMLingua-2 needs one, whoever runs it: its own tokens, and how likely each is to be kept. */

export interface Compressor {
  readonly name: string;
  /** Tokens of text without a line break, with the marks by which they say where words begin. */
  tokens(line: string): readonly string[];
  /** Tokens that stand for no text, such as the one for what is unknown. */
  readonly special: ReadonlySet<string>;
  /** `continues`: the mark stands on tokens that go on a word ("##"); `begins`: on those that begin one ("▁"). */
  readonly mark: { readonly kind: "continues" | "begins"; readonly text: string };
  /** Probability of each token of each run to be kept, read together with its run; a run has at most 511 tokens. */
  keep(runs: readonly (readonly string[])[], signal?: AbortSignal): Promise<readonly (readonly number[])[]>;
  /** Tokens as text. */
  text(tokens: readonly string[]): string;
}
