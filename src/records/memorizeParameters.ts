/** @file Rows of the parameter table (params.ts) that memorising reads: from sentences to stored vectors. */

import {
  choice,
  number,
  ON_OFF,
  paperOrOurs,
  PROBE,
  probedLimit,
  whole,
  type Parameter,
} from "./parameterKinds.ts";

export const MEMORIZE_PARAMETERS = {
  candidateFilter: {
    stages: ["candidates"],
    label: "Filter",
    about:
      "Strict keeps sentences with a name, a number or an identifier. Wide also keeps relations without names, and drops headings and single words. All keeps every sentence.",
    source: "Fact extraction; wide (for relations such as “north of”) and all are ours",
    kind: choice({ wide: "Wide", strict: "Strict", all: "All sentences" }),
    paper: "strict",
    // Half of a novel's sentences name nothing, and answer as many questions.
    sharp: "all",
    brief: true,
  },
  anchors: {
    stages: ["anchors"],
    label: "Proposed by",
    about:
      "The model proposes a short verbatim anchor and rules check it. Rules alone are faster on long sources.",
    source: "Fact extraction; rules alone are its fallback",
    kind: choice({ model: "Model, then rules", rules: "Rules alone" }),
    paper: "model",
    sharp: "rules",
    brief: true,
  },
  anchorBatch: {
    stages: ["anchors"],
    label: "Batch",
    unit: "candidates",
    about: "Number of candidates per request to the model for anchors.",
    source: "Implementation",
    kind: whole(1, 64),
    paper: 12,
  },
  anchorRules: {
    stages: ["anchors"],
    label: "Anchor rules",
    about:
      "Ours prefers “Duchy of Normandy” over “Duchy”, because one generic word attracts too many facts. It also treats “The Duchy of Normandy” and “duchy of Normandy’s” as one anchor.",
    source: "Ours; the paper does not state when two anchors are equal",
    kind: paperOrOurs(
      "one name; anchors are equal if their texts are",
      "compound names; spellings are merged",
    ),
    paper: "paper",
    sharp: "ours",
  },
  depth: {
    stages: ["budget"],
    label: "Retention depth",
    symbol: "m̂",
    unit: "facts per anchor",
    about: "Keep at most this many facts per anchor, the latest first.",
    source: "Eq. 1",
    kind: whole(1, 100_000),
    paper: 14,
    // The latest facts of a name are the end of a book; its opening would go first.
    sharp: 100_000,
    brief: true,
  },
  depthOver: {
    stages: ["budget"],
    label: "Depth applies to",
    about: "Whether the stored facts of an anchor count against the retention depth of later texts.",
    source: "Eq. 1",
    kind: choice({
      run: ["Each run", "a later text adds to an anchor; no stored fact is removed"],
      memory: ["The whole memory", "the oldest facts of an anchor make room for later ones (the paper)"],
    }),
    paper: "memory",
    sharp: "run",
  },
  capacity: {
    stages: ["budget"],
    label: "Layer capacity",
    symbol: "C",
    unit: "vectors per layer",
    about:
      "Nominal limit of one storage layer. The memory holds at most K C vectors, and a fact in parts takes several.",
    source: "Eq. 1",
    kind: whole(1, 100_000_000),
    paper: 4096,
    // A sentence of a novel takes three or four vectors: two million tokens of them take 200,000, in three layers.
    sharp: 131_072,
    brief: true,
  },
  spareRoom: {
    stages: ["budget"],
    label: "Share spare room",
    about:
      "If the layers cannot hold the retention depth of every anchor, anchors with fewer facts give their room to the others. The paper does not, and loses facts of very long texts although there is room.",
    source: "Eq. 1; ours",
    kind: ON_OFF,
    paper: false,
    sharp: true,
  },
  layers: {
    stages: ["layers"],
    label: "Storage layers",
    symbol: "K",
    unit: "layers",
    about:
      "Facts are dealt out over this many layers in turn (Eq. 2). A smaller model uses the layers it has.",
    source: "Eq. 1 and 2",
    kind: whole(1, 128),
    paper: 12,
    // 27 facts of Emma ran 3,926, 2,708 and 2,113 layers at 5, 3 and 2. Three leaves one to spare.
    sharp: 3,
    brief: true,
    most: true,
  },
  layersFrom: {
    stages: ["layers"],
    label: "Layers follow",
    symbol: "ι",
    about:
      "The origin of the layers of an anchor’s facts. If it is the place, every anchor that a text gains or loses moves all later anchors, whose facts are then encoded again.",
    source: "Eq. 2; the anchor’s words are ours",
    kind: choice({
      order: ["The anchor’s place", "in the order in which anchors were found (the paper)"],
      words: [
        "The anchor’s words",
        "an edited text keeps its other facts at their layers, so the encoding cache finds them",
      ],
    }),
    paper: "order",
    // A deleted fact may have been the first of its anchor: the layers of all later anchors would show its place.
    sharp: "words",
  },
  layerShare: {
    stages: ["layers"],
    label: "Least share of the best",
    about:
      "A layer must recall at least this share of the best layer’s exact facts in the probe; 0 for no limit.",
    source: "Ours",
    kind: number(0, 1, 0.05),
    paper: 0,
    sharp: 0.75,
    brief: true,
  },
  partTokens: {
    stages: ["encode"],
    label: "Longest part",
    unit: "tokens",
    about:
      "A longer value is stored in parts with one vector each; parts that stay inexact are halved. By probe: the longest length at which steps times vectors stay within a fifth of the least for this model. With none a value is one vector, however long.",
    source: "Ours: one vector can reproduce a limited number of tokens",
    kind: probedLimit(2, 1024, 1),
    paper: null,
    sharp: PROBE,
    brief: true,
  },
  spelling: {
    stages: ["encode"],
    label: "Rare characters",
    about: "A character that the tokenizer has only as bytes is stored as a code of ordinary tokens.",
    source: "Ours",
    kind: choice({ codes: "As codes", plain: "As bytes" }),
    paper: "plain",
    sharp: "codes",
  },
  steps: {
    stages: ["encode"],
    label: "Guided steps",
    unit: "steps",
    about: "Adam steps on δ with the true words as context (teacher forcing).",
    source: "Eq. 3",
    kind: whole(1, 2000),
    paper: 40,
    brief: true,
  },
  refine: {
    stages: ["encode"],
    label: "Refinement steps",
    unit: "steps",
    about: "Additional steps for facts that free decoding does not reproduce.",
    source: "Eq. 3",
    kind: whole(0, 2000),
    paper: 20,
    brief: true,
  },
  margin: {
    stages: ["encode"],
    label: "Margin",
    unit: "logits",
    about:
      "A part is exact if each of its tokens leads every other token by this much, so that another device decodes it too. With 0 it is exact if this device decodes it.",
    source: "Ours; in the paper a fact is exact if it is decoded",
    kind: number(0, 10, 0.05),
    paper: 0,
    sharp: 0.1,
  },
  // Giving hopeless parts up after 8 steps without progress saved a seventh of all steps.
  schedule: {
    stages: ["encode"],
    label: "Schedule of steps",
    about:
      "As in the paper: all guided steps, then refinement on the model’s own words; Adam’s moments 0.9 and 0.999. Ours: a fact stops as soon as every word is the model’s first choice, refinement continues on the value, and a part without progress in 8 steps is halved; moments 0.8 and 0.95.",
    source: "Eq. 3 and ours; the paper does not state Adam’s moments",
    kind: paperOrOurs("every step is taken", "stops when exact, gives up without progress"),
    paper: "paper",
    sharp: "ours",
  },
  start: {
    stages: ["encode"],
    label: "Start of δ",
    about:
      "Writer: a network that was trained with the model gives δ in one pass. Adam steps follow only if the model does not say the value with it. A model without a writer has the learned start, a ridge regression over the residuals stored so far. One part in 16 then starts from zero, and the learned start is dropped if it saves nothing.",
    source: "Ours; Eq. 3 starts from zero",
    kind: choice({ writer: "The model’s writer", learned: "Learned", zero: "Zero" }),
    paper: "zero",
    sharp: "writer",
  },
  // 27 facts of Emma took 863, 873 and 1,002 steps at 0.2, 0.3 and 0.45; higher rates overshoot.
  learningRate: {
    stages: ["encode"],
    label: "Learning rate",
    symbol: "η",
    about: "Adam’s step size on δ, in units of the residual stream.",
    source: "The paper does not state it",
    kind: number(0.001, 10, 0.05),
    paper: 0.2,
    sharp: 0.3,
    brief: true,
  },
  encodeBatch: {
    stages: ["encode"],
    label: "Batch",
    unit: "facts",
    about: "Number of facts optimised together at one layer; more facts use more device memory.",
    source: "Ours; the paper encodes one fact at a time",
    kind: whole(1, 512),
    paper: 1,
    sharp: 32,
  },
  keyCentre: {
    stages: ["encode"],
    label: "Key centre",
    symbol: "c(ℓ)",
    about:
      "A vector that is subtracted from keys and queries of a layer before they are compared. It is fixed with the layer’s first keys.",
    source: "Ours: the keys of a model may have nearly the same direction, and a soft read then mixes them",
    kind: choice({
      none: ["None", "keys are compared as they are (the paper)"],
      store: ["The store’s mean", "the mean of the layer’s first keys, which does not distinguish them"],
    }),
    paper: "none",
  },
  // In both forms the own key always wins (docs/benchmarks).
  vectors: {
    stages: ["encode", "index"],
    label: "Stored vectors",
    about:
      "Number format of keys, residuals and text vectors. They are rounded before a fact is tested, so “exact” describes the stored numbers.",
    source: "Ours; the paper does not state it",
    kind: choice({
      float32: ["As computed", "float32: 4 bytes per number"],
      compact: ["Compact", "keys in 8 bits, the rest as float16: at most a third of the bytes"],
    }),
    paper: "float32",
    sharp: "compact",
  },
} as const satisfies Readonly<Record<string, Parameter>>;
