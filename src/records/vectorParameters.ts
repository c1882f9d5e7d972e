/** @file Rows of the table of parameters: what is stored of a part, and in which numbers. */

import { choice, type Parameter } from "./parameterKinds.ts";

export const VECTOR_PARAMETERS = {
  keyCentre: {
    stages: ["encode"],
    label: "Key centre",
    symbol: "c(ℓ)",
    about:
      "What is taken from keys and queries of a layer before they are compared; it is fixed with the layer's first keys.",
    source: "Ours: keys of a model may share nearly all of their direction, and a soft read mixes them",
    kind: choice(
      { value: "none", label: "None", note: "keys are compared as they are (the paper)" },
      {
        value: "store",
        label: "The store's mean",
        note: "the mean of the first keys of the layer: what they have in common tells none apart",
      },
    ),
    paper: "none",
    before: "none",
  },
  // 4,096 keys of novels' facts at each of the bundled model's layers: no other key wins in either form, asked in the form
  // of the key (docs/benchmarks).
  vectors: {
    stages: ["encode", "index"],
    label: "Stored vectors",
    about:
      "In which numbers keys, residuals and the vectors of texts are kept. They are rounded before a fact is judged, so that what is called exact is what the stored numbers say.",
    source: "Ours; the paper does not state it",
    kind: choice(
      { value: "float32", label: "As computed", note: "float32: 4 bytes a number" },
      {
        value: "compact",
        label: "Compact",
        note: "keys in 8 bits, all else as float16: a third of the bytes or less",
      },
    ),
    paper: "float32",
    sharp: "compact",
    before: "float32",
  },
} as const satisfies Readonly<Record<string, Parameter>>;
