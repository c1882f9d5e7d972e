/**
 * @file LLMLingua-2 (microsoft/LLMLingua's compress_prompt_llmlingua2, set for long texts): a token classifier predicts for every
 * word whether to keep it, and the likeliest words of every chunk stay. Differences: the asked model counts the tokens, line
 * breaks are kept without the classifier, a chunk never ends within a word, and chunks are joined by a space.
 */

import type { TokenKeeper } from "../engine/engine.ts";
import { quantile } from "../lib/stats.ts";
import { pieces } from "./tokens.ts";

export type Compressor = Omit<TokenKeeper, "dispose">;

interface CompressionTask {
  /** Maximum number of kept tokens, by `count`. */
  readonly target: number;
  readonly count: (text: string) => number;
  /** Tokens that a word adds to a text. */
  readonly countWord: (word: string) => number;
  readonly signal?: AbortSignal | undefined;
}

/** Always kept, as in the scripts of its evaluation. */
const FORCED: ReadonlySet<string> = new Set(["\n", "?", "!", "."]);
const CHUNK_ENDS: ReadonlySet<string> = new Set([".", "\n"]);
/** Python's string.punctuation: such a SentencePiece piece is a separate word. */
const PUNCTUATION: ReadonlySet<string> = new Set("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~");
/** Chunk size: 510 tokens and the one that ends the chunk. */
const CHUNK_TOKENS = 511;
const BREAK = "\n";

/** The kept words of `text`, at most `target` tokens apart from rounding; the whole text if it is that short. */
export async function compressed(
  text: string,
  compressor: Compressor,
  { target, count, countWord, signal }: CompressionTask,
): Promise<string> {
  const total = count(text);
  if (total <= target) return text;
  const chunks = chunked(tokensOf(text, compressor), compressor);
  const runs = chunks.map((chunk) => chunk.filter((token) => token !== BREAK));
  const probabilities = await compressor.keep(runs, signal);
  const words = chunks.map((chunk, i) => merged(chunk, probabilities[i]!, compressor));
  const weighed: Weighed = { compressor, countWord };
  const rate = target / total;
  if (percent(1 - rate) < 100 || words.length < 2)
    return joined(words.map((own) => textOf(kept(own, 1 - rate, weighed), compressor)));
  const chosen = likeliest(words, Math.min(1, (2 * target) / total));
  const left = chosen.reduce((sum, own) => sum + count(textOf(own, compressor)), 0);
  const reduce = Math.max(0, 1 - target / left);
  return chosen
    .map((own) => textOf(reduce === 0 ? own : kept(own, reduce, weighed), compressor).trim())
    .filter((one) => one !== "")
    .join("\n\n");
}

const joined = (chunks: readonly string[]): string =>
  chunks
    .filter((one) => one !== "")
    .reduce((text, one) => (text === "" || text.endsWith(BREAK) ? text + one : `${text} ${one}`), "")
    .trim();

type Weighed = Pick<CompressionTask, "countWord"> & { readonly compressor: Compressor };

/** A word: its first token with its mark, and what the others add to it. */
interface Word {
  readonly token: string;
  /** Mean of its tokens' probabilities; 1 for words that are always kept. */
  readonly probability: number;
  readonly first: number;
}

function* tokensOf(text: string, compressor: Compressor): Generator<string> {
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    if (i > 0) yield BREAK;
    for (const piece of pieces(line)) yield* compressor.tokens(piece);
  }
}

/** Chunks of tokens that end after a sentence or line, or otherwise before a word. */
function chunked(tokens: Iterable<string>, compressor: Compressor): string[][] {
  const found: string[][] = [];
  let open: string[] = [];
  for (const token of tokens) {
    open.push(token);
    if (open.length <= CHUNK_TOKENS) continue;
    const end = cutOf(open, compressor);
    found.push(open.slice(0, end));
    open = open.slice(end);
  }
  const end = open.length === CHUNK_TOKENS ? cutOf(open, compressor) : open.length;
  return [...found, open.slice(0, end), open.slice(end)].filter(({ length }) => length > 0);
}

/** Where to cut a chunk that is full, or one token too long. */
function cutOf(tokens: readonly string[], compressor: Compressor): number {
  const ends = tokens.findLastIndex((token, i) => i > 0 && i < CHUNK_TOKENS && CHUNK_ENDS.has(token));
  if (ends > 0 || tokens.length === CHUNK_TOKENS) return ends > 0 ? ends + 1 : CHUNK_TOKENS;
  const begins = tokens.findLastIndex((token, i) => i > 0 && beginsWord(token, compressor));
  return begins > 0 ? begins : CHUNK_TOKENS;
}

function beginsWord(token: string, { mark }: Compressor): boolean {
  if (FORCED.has(pure(token, mark))) return true;
  const marked = token.startsWith(mark.text);
  return mark.kind === "continues" ? !marked : marked || PUNCTUATION.has(token);
}

const pure = (token: string, { text }: Compressor["mark"]): string => {
  while (token.startsWith(text)) token = token.slice(text.length);
  return token;
};

function merged(chunk: readonly string[], probabilities: readonly number[], compressor: Compressor): Word[] {
  const found: { token: string; readonly of: number[]; readonly first: number }[] = [];
  let at = 0;
  for (const token of chunk) {
    const first = token === BREAK ? 1 : probabilities[at++]!;
    if (compressor.special.has(token)) continue;
    const own = pure(token, compressor.mark);
    const word = found.at(-1);
    if (word && !beginsWord(token, compressor)) {
      word.token += own;
      word.of.push(first);
    } else found.push({ token, of: [FORCED.has(own) ? 1 : first], first });
  }
  return found.map(({ token, of, first }) => ({
    token,
    first,
    probability: of.reduce((sum, one) => sum + one, 0) / of.length,
  }));
}

/** The percentile, in whole percent, that kept words exceed if the share `reduce` is removed. */
const percent = (reduce: number): number => Math.trunc(100 * reduce + 1);

function percentile(values: readonly number[], at: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return quantile(sorted, at / 100);
}

/** The kept words of a chunk if the share `reduce` of its tokens is removed. */
function kept(words: readonly Word[], reduce: number, { compressor, countWord }: Weighed): Word[] {
  const probabilities = words.map(({ probability }) => probability);
  const once = withoutRepeated(words, percentile(probabilities, Math.trunc(100 * reduce)));
  const weights = once.flatMap(({ token, probability }) =>
    Array<number>(Math.max(1, countWord(pure(token, compressor.mark)))).fill(probability),
  );
  const threshold = percentile(weights, percent(reduce));
  const stays = ({ probability }: Word) => probability > threshold || (threshold === 1 && probability === 1);
  const found: Word[] = [];
  for (const word of once)
    if (stays(word) && !(FORCED.has(word.token) && found.at(-1)?.token === word.token)) found.push(word);
  return found;
}

/** Marks that repeat the previous mark without a kept word between them are no longer always kept. */
function withoutRepeated(words: readonly Word[], threshold: number): Word[] {
  let between = false;
  let previous: string | null = null;
  return words.map((word) => {
    if (!FORCED.has(word.token)) {
      between ||= word.probability > threshold;
      return word;
    }
    const repeated = !between && word.token === previous;
    between = false;
    previous = word.token;
    return repeated ? { ...word, probability: 0 } : word;
  });
}

/** Context-level filtering: the share `rate` of the chunks, those with the likeliest words. A word counts by its first token. */
function likeliest(chunks: readonly (readonly Word[])[], rate: number): readonly (readonly Word[])[] {
  const means = chunks.map((words) => {
    const shown = words.filter(({ token }) => token !== BREAK);
    return shown.reduce((sum, { first }) => sum + first, 0) / Math.max(1, shown.length);
  });
  const threshold = percentile(means, Math.trunc(100 * (1 - rate)));
  return chunks.filter((_, i) => means[i]! >= threshold);
}

function textOf(words: readonly Word[], compressor: Compressor): string {
  const lines: string[][] = [[]];
  for (const { token } of words)
    if (token === BREAK) lines.push([]);
    else lines.at(-1)!.push(token);
  return lines.map((tokens) => (tokens.length === 0 ? "" : compressor.text(tokens))).join(BREAK);
}
