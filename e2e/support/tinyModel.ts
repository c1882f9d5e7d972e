/** @file A model of a few thousand weights with a tokenizer: small enough for software WebGPU. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

const GOLDEN = "golden";

/** Its files in base64, by name. */
export function tinyModel(): Record<"config.json" | "model.safetensors" | "tokenizer.json", string> {
  const folder = join(GOLDEN, "qwen3");
  return {
    "config.json": base64(readFileSync(join(folder, "config.json"))),
    "model.safetensors": base64(readFileSync(join(folder, "model.safetensors"))),
    "tokenizer.json": base64(characterTokenizer()),
  };
}

const base64 = (bytes: Uint8Array | string) => Buffer.from(bytes).toString("base64");

/** One token a character: enough for a model whose vocabulary has 199 entries. */
function characterTokenizer(): string {
  const characters = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i));
  const visible = (c: string) => (c === " " ? "Ġ" : c);
  const vocab = Object.fromEntries(characters.map((c, i) => [visible(c), i + 1]));
  return JSON.stringify({
    version: "1.0",
    added_tokens: [],
    normalizer: null,
    pre_tokenizer: { type: "ByteLevel", add_prefix_space: false, trim_offsets: false, use_regex: false },
    post_processor: null,
    decoder: { type: "ByteLevel", add_prefix_space: false, trim_offsets: false, use_regex: false },
    model: { type: "BPE", vocab: { ...vocab, Ċ: 0 }, merges: [], unk_token: null },
  });
}
