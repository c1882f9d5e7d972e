/** @file The text side of a model: tokenizer and chat template, from the files of its folder. */

import { Template } from "@huggingface/jinja";
import { Tokenizer } from "@huggingface/tokenizers";
import { assert, present } from "../lib/assert.ts";
import { readJson, type ModelFiles } from "../weights/modelFiles.ts";

/** Text to tokens and back. */
export interface TextCodec {
  encode(text: string): number[];
  decode(ids: readonly number[]): string;
  chat(user: string): number[];
  /** Tokens that end a reply. */
  readonly endTokens: ReadonlySet<number>;
}

interface TokenizerConfig {
  readonly chat_template?: string | readonly { readonly name: string; readonly template: string }[];
  readonly eos_token?: SpecialToken;
  readonly bos_token?: SpecialToken;
}
type SpecialToken = string | { readonly content: string } | null;

const contentOf = (token: SpecialToken | undefined): string =>
  (typeof token === "string" ? token : token?.content) ?? "";

/** Reads tokenizer.json, tokenizer_config.json and generation_config.json. Throws when the first is missing. */
export async function openText(files: ModelFiles, endTokens: readonly number[]): Promise<TextCodec> {
  const json = present(
    await readJson(files, "tokenizer.json"),
    () => `engine: ${files.name} has no tokenizer.json; export the model with its fast tokenizer`,
  );
  const config = ((await readJson(files, "tokenizer_config.json")) ?? {}) as TokenizerConfig;
  const generation = ((await readJson(files, "generation_config.json")) ?? {}) as { eos_token_id?: unknown };
  const template = chatTemplate(config) ?? (await templateFile(files));
  const tokenizer = new Tokenizer(json as object, config);
  const ends = [...endTokens, ...[generation.eos_token_id ?? []].flat().map(Number)];
  const eos = tokenizer.token_to_id(contentOf(config.eos_token));
  return {
    endTokens: new Set(eos === undefined ? ends : [...ends, eos]),
    encode: (text) => tokenizer.encode(text).ids,
    // The tokenizer refuses an empty list, which is what a reply that ends at once is.
    decode: (ids) =>
      ids.length === 0
        ? ""
        : tokenizer.decode([...ids], { skip_special_tokens: true, clean_up_tokenization_spaces: false }),
    chat(user) {
      if (!template) return tokenizer.encode(`${user}\n`).ids;
      const text = template.render({
        messages: [{ role: "user", content: user }],
        add_generation_prompt: true,
        // Qwen3 would otherwise reason aloud before a one-word answer.
        enable_thinking: false,
        bos_token: contentOf(config.bos_token),
        eos_token: contentOf(config.eos_token),
      });
      return tokenizer.encode(text, { add_special_tokens: false }).ids;
    },
  };
}

function chatTemplate({ chat_template: template }: TokenizerConfig): Template | undefined {
  if (template === undefined) return undefined;
  if (typeof template === "string") return new Template(template);
  const named = template.find((t) => t.name === "default") ?? template[0];
  assert(named, () => "tokenizer_config.json: chat_template is an empty list");
  return new Template(named.template);
}

/** Newer repositories keep the template in a file of its own. */
async function templateFile(files: ModelFiles): Promise<Template | undefined> {
  const source = await files.open("chat_template.jinja");
  if (!source) return undefined;
  try {
    return new Template(new TextDecoder().decode(await source.read(0, source.size)));
  } finally {
    await source.close();
  }
}
