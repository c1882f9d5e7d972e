/** @file Models that methods need, offered by name: cross-encoders, and the published ones of LLMLingua-2 as others converted them. */

import type { EmbedderChoice } from "../../../records/embedder.ts";
import type { Helper } from "../../../records/evaluation.ts";
import type { Role } from "../chosen/ModelChoice.tsx";

const ofHub = (repo: string): EmbedderChoice => ({
  ...{ from: { kind: "hub", repo, revision: "main" }, dtype: "q8", device: "wasm" },
});

const MINI_LM = "Xenova/ms-marco-MiniLM-L-6-v2";
const BERT = "ldenoue/llmlingua-2-bert-base-multilingual-cased-meetingbank";

export const HELPER_ROLES: Readonly<Record<Helper, Role>> = {
  reranker: {
    what: "cross-encoder",
    none: "None",
    known: [
      { repo: MINI_LM, millions: 22.7, note: "English, the smallest" },
      { repo: "Xenova/bge-reranker-base", millions: 278, note: "English and Chinese" },
    ],
    first: ofHub(MINI_LM),
    example: "Xenova/bge-reranker-large",
  },
  compressor: {
    what: "compressor",
    none: "None",
    known: [
      { repo: BERT, millions: 177.3, note: "LLMLingua-2, small: multilingual BERT" },
      {
        repo: "atjsh/llmlingua-2-js-xlm-roberta-large-meetingbank",
        millions: 558.9,
        note: "LLMLingua-2, as in the paper: XLM-RoBERTa",
      },
    ],
    first: ofHub(BERT),
    example: BERT,
  },
};
