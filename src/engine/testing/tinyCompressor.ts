/**
 * @file Test support: a token classifier in transformers.js layout, tokenizer and ONNX model both written here, in the two
 * forms that LLMLingua-2's models have: WordPiece and a SentencePiece. A token's probability to be kept stands in a table.
 */

import { onnxModel } from "../../runtime/testing/models.ts";

/** Probability of each token of the first form to be kept. */
export const KEPT: Readonly<Record<string, number>> = {
  "[PAD]": 0.5,
  "[UNK]": 0.5,
  "[CLS]": 0.5,
  "[SEP]": 0.5,
  mary: 0.9,
  moved: 0.6,
  to: 0.2,
  the: 0.1,
  gard: 0.95,
  "##en": 0.55,
  office: 0.7,
  ".": 0.3,
  john: 0.8,
  "?": 0.3,
};

/** The same words as pieces: what begins one is marked, and what goes on is not. */
export const KEPT_PIECES: Readonly<Record<string, number>> = Object.fromEntries(
  Object.entries(KEPT).map(([token, kept]) => {
    if (token.startsWith("[") || token === "." || token === "?") return [token, kept];
    return [token.startsWith("##") ? token.slice(2) : `▁${token}`, kept];
  }),
);

const special = (tokens: readonly string[]) =>
  tokens.map((content, id) => ({
    ...{ id, content, special: true, single_word: false, lstrip: false, rstrip: false, normalized: false },
  }));

const tokenizer = (pieces: boolean) => {
  const tokens = Object.keys(pieces ? KEPT_PIECES : KEPT);
  const ids = Object.fromEntries(tokens.map((token, id) => [token, id]));
  const around = (id: string) => ({ SpecialToken: { id, type_id: 0 } });
  return {
    version: "1.0",
    added_tokens: special(tokens.filter((token) => token.startsWith("["))),
    normalizer: { type: "Lowercase" },
    pre_tokenizer: pieces
      ? {
          type: "Sequence",
          pretokenizers: [
            { type: "WhitespaceSplit" },
            { type: "Metaspace", replacement: "▁", add_prefix_space: true },
          ],
        }
      : { type: "BertPreTokenizer" },
    post_processor: {
      type: "TemplateProcessing",
      single: [around("[CLS]"), { Sequence: { id: "A", type_id: 0 } }, around("[SEP]")],
      pair: [],
      special_tokens: Object.fromEntries(
        ["[CLS]", "[SEP]"].map((id) => [id, { id, ids: [ids[id]], tokens: [id] }]),
      ),
    },
    decoder: pieces
      ? { type: "Metaspace", replacement: "▁", add_prefix_space: true }
      : { type: "WordPiece", prefix: "##", cleanup: true },
    model: pieces
      ? {
          type: "Unigram",
          unk_id: ids["[UNK]"],
          vocab: tokens.map((token) => [token, token.startsWith("[") ? 0 : -1]),
        }
      : { type: "WordPiece", unk_token: "[UNK]", continuing_subword_prefix: "##", vocab: ids },
  };
};

/** Looks up the logits of each token; `labels` of them, of which the second is that of what is kept. */
function model(kept: Readonly<Record<string, number>>, labels: number): Uint8Array {
  const rows = Object.values(kept).map((p) => [
    0,
    Math.log(p / (1 - p)),
    ...Array<number>(labels - 2).fill(0),
  ]);
  return onnxModel({
    inputs: { input_ids: ["int64", ["batch", "time"]], attention_mask: ["int64", ["batch", "time"]] },
    outputs: { logits: ["float32", ["batch", "time", labels]] },
    initializers: {
      table: { port: ["float32", [rows.length, labels]], data: Float32Array.from(rows.flat()) },
    },
    nodes: [{ op: "Gather", in: ["table", "input_ids"], out: ["logits"] }],
  });
}

/** Its files by name. */
export function tinyCompressor({ pieces = false, labels = 2, decoder = true } = {}): Map<string, Uint8Array> {
  const json = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
  const own = tokenizer(pieces);
  return new Map([
    ["config.json", json({ model_type: "bert", architectures: ["BertForTokenClassification"] })],
    ["tokenizer.json", json(decoder ? own : { ...own, decoder: null })],
    [
      "tokenizer_config.json",
      json({
        tokenizer_class: "PreTrainedTokenizer",
        pad_token: "[PAD]",
        unk_token: "[UNK]",
        cls_token: "[CLS]",
        sep_token: "[SEP]",
      }),
    ],
    ["onnx/model.onnx", model(pieces ? KEPT_PIECES : KEPT, labels)],
  ]);
}
