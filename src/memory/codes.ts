/**
 * @file Codes for characters that a tokenizer has only in bytes, or changes: no vector may make the model say some of those.
 * In a value each is written as a short code of ordinary tokens: "{" and a letter of {@link SHORT}, "{ hexadecimal digits {",
 * or "{{" for the brace.
 */

import type { Engine } from "../engine/engine.ts";

/** The most frequent characters of prose outside ASCII; each has a letter that is not a hexadecimal digit. */
const SHORT = "“”‘’—–…éèêëàâäáçñöüïîíóôúßæøåœ£§°";
const LETTERS = "ghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const HEX = "0123456789abcdef";

type Text = Pick<Engine, "encode" | "decode">;

class Codes {
  readonly #signs: ReadonlyMap<number, string>;
  readonly #kept = new Map<string, boolean>();

  /** @param ids tokens of single letters and digits; @param opening number of tokens that begin every text */
  constructor(
    private readonly engine: Text,
    private readonly escape: number,
    private readonly ids: ReadonlyMap<string, number>,
    private readonly opening: number,
  ) {
    this.#signs = new Map([...ids].map(([sign, id]) => [id, sign]));
  }

  /** `tokens` with codes for characters in bytes. Runs that cannot be read back to the same tokens stay. */
  write(tokens: readonly number[]): number[] {
    const out: number[] = [];
    for (let at = 0; at < tokens.length;) {
      let end = at;
      while (end < tokens.length && this.#isFragment(tokens[end]!)) end++;
      if (end > at) out.push(...this.#codesOf(tokens.slice(at, end)));
      else if (tokens[at] === this.escape) out.push(this.escape, this.escape);
      else out.push(tokens[at]!);
      at = Math.max(end, at + 1);
    }
    return out;
  }

  /** ` value` with codes also for characters that the tokenizer would change; null if that is not enough. */
  spell(value: string): number[] | null {
    const out: number[] = [];
    let plain = " ";
    const flush = (): void => {
      if (plain) out.push(...this.write(encodeInside(this.engine, plain)));
      plain = "";
    };
    for (const char of value) {
      if (this.#stays([...plain].at(-1) ?? "", char)) plain += char;
      else {
        flush();
        out.push(...this.#codeOf(char));
      }
    }
    flush();
    return this.text(out).trim() === value.trim() ? out : null;
  }

  /** Whether a character survives after another one, with which the tokenizer might compose it. */
  #stays(before: string, char: string): boolean {
    const pair = before + char;
    const known = this.#kept.get(pair);
    if (known !== undefined) return known;
    const stays = this.engine.decode(this.engine.encode(pair).slice(this.opening)) === pair;
    this.#kept.set(pair, stays);
    return stays;
  }

  text(tokens: readonly number[]): string {
    const { raw, changed } = this.#read(tokens);
    const upTo = (at: number): number => this.engine.decode(raw.slice(0, at)).length;
    let text = this.engine.decode(raw);
    for (const { char, from, to } of changed.reverse())
      text = text.slice(0, upTo(from)) + char + text.slice(upTo(to));
    return text;
  }

  /** The tokens that {@link write} was given, and the places of characters that the tokenizer would change. */
  #read(tokens: readonly number[]) {
    const raw: number[] = [];
    const changed: { readonly char: string; readonly from: number; readonly to: number }[] = [];
    for (let at = 0; at < tokens.length;) {
      const { char, length } = this.#codeAt(tokens, at);
      const from = raw.length;
      raw.push(...(char === null ? tokens.slice(at, at + length) : this.#raw(char)));
      if (char !== null && char !== "{" && !this.#stays("", char))
        changed.push({ char, from, to: raw.length });
      at += length;
    }
    return { raw, changed };
  }

  /** A text per token; the text of a coded character belongs to the last token of its code. */
  texts(tokens: readonly number[]): string[] {
    const out: string[] = [];
    for (let at = 0; at < tokens.length;) {
      const { char, length } = this.#codeAt(tokens, at);
      for (let i = 1; i < length; i++) out.push("");
      out.push(char ?? tokenText(this.engine, tokens[at]!));
      at += length;
    }
    return out;
  }

  holdsEscape = (tokens: readonly number[]): boolean => tokens.includes(this.escape);

  /** The code of a single token. Undefined for tokens that occur within codes, or that would be read back as others. */
  spelling(token: number): readonly number[] | undefined {
    const text = tokenText(this.engine, token);
    const isPart = token === this.escape || this.#signs.has(token);
    if ([...text].length !== 1 || text === "\uFFFD" || isPart) return undefined;
    const code = this.#codeOf(text);
    const [read, ...more] = this.#read(code).raw;
    return read === token && more.length === 0 ? code : undefined;
  }

  #codeOf(char: string): number[] {
    const place = SHORT.indexOf(char);
    const signs = place >= 0 ? LETTERS[place]! : char.codePointAt(0)!.toString(16);
    const ids = [...signs].map((sign) => this.ids.get(sign)!);
    return place >= 0 ? [this.escape, ...ids] : [this.escape, ...ids, this.escape];
  }

  #codesOf(run: readonly number[]): readonly number[] {
    const chars = [...this.engine.decode(run)];
    const raw = chars.flatMap((char) => this.#raw(char));
    const same = raw.length === run.length && raw.every((id, i) => id === run[i]);
    return same ? chars.flatMap((char) => this.#codeOf(char)) : run;
  }

  /** The code that begins at `at`; without a character if the token is not part of a code. */
  #codeAt(tokens: readonly number[], at: number): { readonly char: string | null; readonly length: number } {
    const itself = { char: null, length: 1 };
    if (tokens[at] !== this.escape) return itself;
    if (tokens[at + 1] === this.escape) return { char: "{", length: 2 };
    const sign = this.#signs.get(tokens[at + 1] ?? -1) ?? "";
    const short = sign === "" ? -1 : LETTERS.indexOf(sign);
    if (short >= 0) return short < SHORT.length ? { char: SHORT[short]!, length: 2 } : itself;
    let [end, digits] = [at + 1, ""];
    for (; end < tokens.length && tokens[end] !== this.escape; end++) {
      const digit = this.#signs.get(tokens[end]!) ?? "";
      if (digit === "" || !HEX.includes(digit)) return itself;
      digits += digit;
    }
    const point = parseInt(digits, 16);
    if (end === tokens.length || !(point <= 0x10ffff)) return itself;
    return { char: String.fromCodePoint(point), length: end + 1 - at };
  }

  #raw = (char: string): number[] => (char === "{" ? [this.escape] : encodeInside(this.engine, char));

  #isFragment = (id: number): boolean => tokenText(this.engine, id).includes("\uFFFD");
}

const known = new WeakMap<Text, Codes | null>();

function codesOf(engine: Text): Codes | null {
  const found = known.get(engine);
  if (found !== undefined) return found;
  // Some tokenizers begin every text with a special token.
  const opening = engine.encode("").length;
  const single = (sign: string): number | null => {
    try {
      const [id, ...more] = encodeInside(engine, sign);
      return id !== undefined && more.length === 0 && tokenText(engine, id) === sign ? id : null;
    } catch {
      // A tokenizer of whole words may refuse words without a token.
      return null;
    }
  };
  const ids = [...HEX, ...LETTERS].map((sign) => [sign, single(sign)] as const);
  const escape = single("{");
  const complete = escape !== null && ids.every(([, id]) => id !== null);
  const codes = complete ? new Codes(engine, escape, new Map(ids as [string, number][]), opening) : null;
  known.set(engine, codes);
  return codes;
}

export function inCodes(
  engine: Text,
  tokens: readonly number[],
  value = engine.decode(tokens),
): readonly number[] {
  const codes = codesOf(engine);
  if (!codes) return tokens;
  const plain = codes.write(tokens);
  return says(engine, plain, value, true) ? plain : (codes.spell(value) ?? plain);
}

export const textOf = (engine: Text, tokens: readonly number[], coded: boolean): string =>
  (coded ? codesOf(engine)?.text(tokens) : undefined) ?? engine.decode(tokens);

/** Whether tokens give a value character for character: a tokenizer that normalises may have none that do. */
export const says = (engine: Text, tokens: readonly number[], value: string, coded: boolean): boolean =>
  textOf(engine, tokens, coded).trim() === value.trim();

export const textsOf = (engine: Text, tokens: readonly number[]): readonly string[] =>
  codesOf(engine)?.texts(tokens) ?? tokens.map((id) => tokenText(engine, id));

export const looksCoded = (engine: Text, tokens: readonly number[]): boolean =>
  codesOf(engine)?.holdsEscape(tokens) ?? false;

export const codeOf = (engine: Text, token: number): readonly number[] | undefined =>
  codesOf(engine)?.spelling(token);

const tokenTexts = new WeakMap<Text, Map<number, string>>();

export function tokenText(engine: Text, id: number): string {
  const known = tokenTexts.get(engine) ?? new Map<number, string>();
  tokenTexts.set(engine, known);
  const text = known.get(id) ?? decodeInside(engine, id);
  known.set(id, text);
  return text;
}

/** Many decoders drop the space in front of a text's first token, which others keep: the second token has its whole text. */
function decodeInside(engine: Text, id: number): string {
  const { ids, text } = lineOf(engine);
  const both = engine.decode([...ids, id]);
  return both.startsWith(text) ? both.slice(text.length) : engine.decode([id]);
}

/** The tokens of a text that others precede; some tokenizers put a space in front of the first one. */
function encodeInside(engine: Text, text: string): number[] {
  const { ids } = lineOf(engine);
  const both = engine.encode(LINE + text);
  return ids.every((id, i) => both[i] === id)
    ? both.slice(ids.length)
    : engine.encode(text).slice(engine.encode("").length);
}

const LINE = "\n";
const lines = new WeakMap<Text, { readonly ids: readonly number[]; readonly text: string }>();

function lineOf(engine: Text) {
  const known = lines.get(engine);
  if (known) return known;
  const ids = engine.encode(LINE);
  const line = { ids, text: engine.decode(ids) };
  lines.set(engine, line);
  return line;
}
