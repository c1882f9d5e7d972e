/** @file Text embedders that are offered by name. */

import type { EmbedderChoice } from "../../../../records/embedder.ts";
import type { KnownModel } from "../../chosen/knownModels.ts";

/** The smallest first. */
export const KNOWN_EMBEDDERS: readonly KnownModel[] = [
  { repo: "Xenova/all-MiniLM-L6-v2", millions: 22.7, note: "English, the smallest" },
  { repo: "Xenova/bge-small-en-v1.5", millions: 33.4, note: "English" },
  { repo: "Xenova/gte-small", millions: 33.4, note: "English" },
  { repo: "Xenova/e5-small-v2", millions: 33.4, note: "English" },
  { repo: "Xenova/multilingual-e5-small", millions: 117.7, note: "About 100 languages" },
  { repo: "Xenova/bge-m3", millions: 567.8, note: "Over 100 languages, texts of 8,192 tokens" },
];

/** What the page proposes: small enough for any machine, and made for questions to passages. */
export const FIRST_HUB: EmbedderChoice = {
  from: { kind: "hub", repo: "Xenova/bge-small-en-v1.5", revision: "main" },
  dtype: "q8",
  device: "wasm",
};
