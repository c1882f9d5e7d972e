/** @file The text side of a model: tokenizer and chat template, from the files of its folder. */

import { Tokenizer } from "@huggingface/tokenizers";
import { assert, messageOf, present } from "../lib/assert.ts";
import { loose } from "../lib/check.ts";
import type { DecoderConfig } from "../graph/models/config.ts";
import { readJson, readWhole, type ModelFiles } from "../weights/modelFiles.ts";
import type { EngineValues } from "./engine.ts";
import { Environment, Interpreter, parse, tokenize } from "@huggingface/jinja";

/** Runs work on a model's files, which may take exponential time: in a worker it fails when it takes too long. */
export type Guard = <T>(what: string, work: () => T) => T;
const UNGUARDED: Guard = (_, work) => work();

interface TextCodec extends Pick<EngineValues, "encode" | "decode" | "chat"> {
  readonly endTokens: ReadonlySet<number>;
}

interface TokenizerConfig {
  readonly chat_template?: unknown;
  readonly eos_token?: SpecialToken;
  readonly bos_token?: SpecialToken;
}
type SpecialToken = string | { readonly content: string } | null;

const contentOf = (token: SpecialToken | undefined): string =>
  (typeof token === "string" ? token : token?.content) ?? "";

/** Reads the tokenizer, its config and generation_config.json. @throws if the first is missing, or one cannot be used */
export async function openText(
  files: ModelFiles,
  { endTokens, vocabulary }: Pick<DecoderConfig, "endTokens" | "vocabulary">,
  guard: Guard = UNGUARDED,
): Promise<TextCodec> {
  const json = present(
    await readJson(files, "tokenizer.json"),
    () => `engine: ${files.name} has no tokenizer.json; export the model with its fast tokenizer`,
  );
  const config = loose(await readJson(files, "tokenizer_config.json")) as TokenizerConfig;
  const generation = loose(await readJson(files, "generation_config.json"));
  const template = (await templateFile(files)) ?? templateOf(config);
  const tokenizer = guard(`the tokenizer of ${files.name}`, () => openTokenizer(json, config, files.name));
  const ends = [...endTokens, ...[generation["eos_token_id"] ?? []].flat().map(Number)];
  const eos = tokenizer.token_to_id(contentOf(config.eos_token));
  const encode = (text: string, add_special_tokens: boolean, by = tokenizer): number[] => {
    const { ids } = guard(`the tokenizer of ${files.name}`, () => by.encode(text, { add_special_tokens }));
    for (const id of ids) if (!(id >= 0 && id < vocabulary)) throw strange(files.name, id, vocabulary);
    return ids;
  };
  const special = specialTexts(json);
  const literal = memo(() =>
    openTokenizer({ ...loose(json), added_tokens: ordinaryTokens(json) }, config, files.name),
  );
  // A text that mentions <|im_end|> must not end a turn: its token would be stored, and decoding would omit it.
  const mentionsSpecial = (text: string): boolean => special.some((content) => text.includes(content));
  const encodeText = (text: string): number[] =>
    mentionsSpecial(text) ? [...encode("", true), ...encode(text, false, literal())] : encode(text, true);
  return {
    endTokens: new Set(eos === undefined ? ends : [...ends, eos]),
    encode: encodeText,
    decode: (ids) => guard(`the tokenizer of ${files.name}`, () => decode(tokenizer, ids)),
    chat(user) {
      if (!template) return encodeText(`${user}\n`);
      const rendered = (content: string): string =>
        guard(`the chat template of ${files.name}`, () =>
          template.render({
            messages: [{ role: "user", content }],
            add_generation_prompt: true,
            // Qwen3 would otherwise reason aloud before a one-word answer.
            enable_thinking: false,
            bos_token: contentOf(config.bos_token),
            eos_token: contentOf(config.eos_token),
          }),
        );
      if (!mentionsSpecial(user)) return encode(rendered(user), false);
      // Nor may it begin another turn: a stored text is evidence, not an instruction.
      const around = rendered(STAND_IN).split(STAND_IN);
      return around.flatMap((piece, i) => [
        ...(i === 0 ? [] : encode(user, false, literal())),
        ...encode(piece, false),
      ]);
    },
  };
}

const STAND_IN = "palimpsest-stand-in";

/** The tokenizer refuses an empty list, which is a reply that ends at once. */
const decode = (tokenizer: Tokenizer, ids: readonly number[]): string =>
  ids.length === 0
    ? ""
    : tokenizer.decode([...ids], { skip_special_tokens: true, clean_up_tokenization_spaces: false });

function openTokenizer(json: unknown, config: TokenizerConfig, folder: string): Tokenizer {
  try {
    return new Tokenizer(json as object, config);
  } catch (error) {
    throw new Error(
      `engine: ${folder}: tokenizer.json cannot be used (${messageOf(error)}); export the model with its fast tokenizer`,
      { cause: error },
    );
  }
}

const addedTokens = (json: unknown): Readonly<Record<string, unknown>>[] => {
  const { added_tokens: added } = loose(json);
  return Array.isArray(added) ? added.map(loose) : [];
};
const ordinaryTokens = (json: unknown): unknown[] =>
  addedTokens(json).filter(({ special }) => special !== true);
const specialTexts = (json: unknown): string[] =>
  addedTokens(json).flatMap(({ special, content }) =>
    special === true && typeof content === "string" && content !== "" ? [content] : [],
  );

function memo<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

const strange = (folder: string, id: unknown, vocabulary: number): Error =>
  new Error(
    `engine: ${folder}: its tokenizer gave the token ${String(id)}, but config.json has a vocabulary of ${vocabulary}. ` +
      "Does tokenizer.json belong to these weights?",
  );

function templateOf({ chat_template: given }: TokenizerConfig): ChatTemplate | undefined {
  if (given === undefined || given === null) return undefined;
  if (!Array.isArray(given)) return chatTemplate(given, TOKENIZER_CONFIG);
  const named = given.map(loose);
  const chosen = named.find(({ name }) => name === "default") ?? named[0];
  assert(chosen, () => `engine: ${TOKENIZER_CONFIG}: chat_template is an empty list; name a template in it`);
  return chatTemplate(chosen["template"], TOKENIZER_CONFIG);
}

async function templateFile(files: ModelFiles): Promise<ChatTemplate | undefined> {
  const bytes = await readWhole(files, TEMPLATE, LARGEST_TEMPLATE);
  return bytes && chatTemplate(new TextDecoder().decode(bytes), TEMPLATE);
}

const TOKENIZER_CONFIG = "tokenizer_config.json";
const TEMPLATE = "chat_template.jinja";
const LARGEST_TEMPLATE = 4_000_000;

interface ChatTemplate {
  render(given: Readonly<Record<string, unknown>>): string;
}

/** @param where name of the file @throws naming it, if the template is invalid */
function chatTemplate(source: unknown, where: string): ChatTemplate {
  if (!(typeof source === "string" && source.length <= LONGEST_SOURCE))
    throw new Error(
      `engine: ${where}: the chat template is not a text of at most ${LONGEST_SOURCE} characters; ${ADVICE}`,
    );
  const program = attempt(where, () => parse(tokenize(source, { lstrip_blocks: true, trim_blocks: true })));
  return {
    render: (given) =>
      attempt(where, () => {
        const environment = new Environment();
        for (const [name, value] of Object.entries({ ...GLOBALS, ...given })) environment.set(name, value);
        return String(new Limited(environment).run(program).value);
      }),
  };
}

function attempt<T>(where: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new Error(`engine: ${where}: the chat template cannot be used (${messageOf(error)}); ${ADVICE}`, {
      cause: error,
    });
  }
}

class Limited extends Interpreter {
  #left = MOST_STEPS;

  override evaluate(...step: Parameters<Interpreter["evaluate"]>): ReturnType<Interpreter["evaluate"]> {
    const value = super.evaluate(...step);
    const size = typeof value.value === "string" || Array.isArray(value.value) ? value.value.length : 0;
    this.#left -= 1 + size / SIZE_OF_A_STEP;
    assert(this.#left >= 0, () => `it did not come to an end in ${MOST_STEPS} steps`);
    assert(size <= LARGEST, () => `it made a value of ${size} characters or items; ${LARGEST} are allowed`);
    return value;
  }
}

function range(start: number, stop?: number, step = 1): number[] {
  const [from, to] = stop === undefined ? [0, start] : [start, stop];
  const length = Math.max(0, Math.ceil((to - from) / step));
  if (length > LONGEST_RANGE)
    throw new Error(`it asked for a range of ${length} numbers; ${LONGEST_RANGE} are allowed`);
  return Array.from({ length }, (_, i) => from + i * step);
}

/** The default of Llama 3's template. With the date of today a model would answer differently tomorrow. */
const FIXED_DATE: Readonly<Record<string, string>> = {
  ...{ Y: "2024", m: "07", d: "26", b: "Jul", B: "July", H: "00", M: "00", "%": "%" },
};

const GLOBALS = {
  true: true,
  True: true,
  false: false,
  False: false,
  none: null,
  None: null,
  range,
  strftime_now: (format: string) =>
    format.replace(/%([YmdbBHM%])/g, (_, letter: string) => FIXED_DATE[letter]!),
  raise_exception(message: string): never {
    throw new Error(message);
  },
};

const ADVICE = "choose a model whose template works, or take the template away";
/** A prompt takes a few hundred; this many take half a second. */
const MOST_STEPS = 100_000;
const SIZE_OF_A_STEP = 10;
const LARGEST = 1_000_000;
const LONGEST_RANGE = 10_000;
const LONGEST_SOURCE = 1_000_000;
