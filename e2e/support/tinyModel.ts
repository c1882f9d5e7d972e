/** @file A model of a few thousand weights with a tokenizer: small enough for software WebGPU. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import prompts from "../../src/records/prompts.json" with { type: "json" };

const GOLDEN = "golden";

/** Its files in base64, by name. `family` is a folder of `golden`. */
export function tinyModel(
  family = "qwen3",
): Record<"config.json" | "model.safetensors" | "tokenizer.json", string> {
  const folder = join(GOLDEN, family);
  const config = readFileSync(join(folder, "config.json"), "utf8");
  const { vocab_size: vocabulary } = JSON.parse(config) as { readonly vocab_size: number };
  return {
    "config.json": base64(config),
    "model.safetensors": base64(readFileSync(join(folder, "model.safetensors"))),
    "tokenizer.json": base64(tokenizer(vocabulary)),
  };
}

const base64 = (bytes: Uint8Array | string) => Buffer.from(bytes).toString("base64");

/** A character a token, and pieces of the prompts in what is left of the model's vocabulary: software computes some hundred tokens a second. */
function tokenizer(vocabulary: number): string {
  const characters = Array.from({ length: 95 }, (_, i) => visible(String.fromCharCode(32 + i)));
  const merges = pairsOf(Object.values(prompts), vocabulary - characters.length - 1);
  const pieces = ["Ċ", ...characters, ...merges.map((pair) => pair.join(""))];
  return JSON.stringify({
    version: "1.0",
    added_tokens: [],
    normalizer: null,
    pre_tokenizer: { type: "ByteLevel", add_prefix_space: false, trim_offsets: false, use_regex: false },
    post_processor: null,
    decoder: { type: "ByteLevel", add_prefix_space: false, trim_offsets: false, use_regex: false },
    model: {
      type: "BPE",
      vocab: Object.fromEntries(pieces.map((piece, id) => [piece, id])),
      merges,
      unk_token: null,
    },
  });
}

const visible = (text: string): string => text.replaceAll(" ", "Ġ").replaceAll("\n", "Ċ");

/** The merges of byte pair encoding that `texts` give, most frequent first; pairs that make an older piece again are passed over. */
function pairsOf(texts: readonly string[], count: number): (readonly [string, string])[] {
  let split = texts.map((text) => [...visible(text)]);
  const merges: (readonly [string, string])[] = [];
  const made = new Set<string>();
  while (merges.length < count) {
    const found = new Map<string, { pair: readonly [string, string]; times: number }>();
    for (const pieces of split)
      for (const [i, right] of pieces.entries()) {
        const left = pieces[i - 1];
        if (left === undefined || made.has(left + right)) continue;
        const at = found.get(`${left} ${right}`) ?? { pair: [left, right] as const, times: 0 };
        found.set(`${left} ${right}`, { ...at, times: at.times + 1 });
      }
    const best = [...found.values()].reduce((a, b) => (b.times > a.times ? b : a));
    merges.push(best.pair);
    made.add(best.pair.join(""));
    split = split.map((pieces) => merged(pieces, best.pair));
  }
  return merges;
}

function merged(pieces: readonly string[], [left, right]: readonly [string, string]): string[] {
  const joined: string[] = [];
  for (const piece of pieces) {
    if (piece === right && joined.at(-1) === left) joined[joined.length - 1] = left + right;
    else joined.push(piece);
  }
  return joined;
}
