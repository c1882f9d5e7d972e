/** @file Rows of the parameter table (params.ts) that questions read: read, routing and answer. */

import { choice, limit, number, ON_OFF, paperOrOurs, whole, type Parameter } from "./parameterKinds.ts";

export const QUESTION_PARAMETERS = {
  read: {
    stages: ["read"],
    label: "Read",
    about:
      "Top-1 injects the residual of the best key at the key position. Soft mixes the whole layer at every position.",
    source: "Eq. 4; top-1 is named there as a substitute",
    kind: choice({
      top1: ["Top-1 at the key", "the fact’s own residual, if its key wins"],
      soft: ["Soft, everywhere", "all residuals of the layer, weighted by α (the paper)"],
    }),
    paper: "soft",
    sharp: "top1",
    brief: true,
  },
  theta: {
    stages: ["read"],
    label: "Gate",
    symbol: "θ",
    about: "The gate opens if the best cosine similarity is above this.",
    source: "Eq. 4c",
    kind: number(-1, 1, 0.01),
    paper: 0.6,
    brief: true,
  },
  beta: {
    stages: ["read"],
    label: "Sharpness",
    symbol: "β",
    about: "Inverse temperature of the soft read; top-1 ignores it.",
    source: "Eq. 4b",
    kind: number(0, 10_000, 1),
    paper: 50,
    brief: true,
  },
  maxFacts: {
    stages: ["route"],
    label: "Facts per question",
    unit: "facts",
    about: "Recall at most this many facts per question.",
    source: "Routing",
    kind: whole(1, 256),
    paper: 24,
    brief: true,
  },
  maxAnchors: {
    stages: ["route"],
    label: "Anchors per question",
    unit: "anchors",
    about: "Route to at most this many anchors per question.",
    source: "Routing",
    kind: whole(1, 100),
    paper: 5,
    brief: true,
  },
  routeShare: {
    stages: ["route"],
    label: "Least share of the leader",
    about: "An anchor must reach this share of the leading fused score, unless the question names it.",
    source: "Routing",
    kind: number(0, 1, 0.05),
    paper: 0.6,
  },
  factVectors: {
    stages: ["route", "index"],
    label: "Fact vectors",
    about:
      "Store one dense vector per fact in addition to the anchor’s, so that a differently worded question can find the fact.",
    source: "Ours",
    kind: ON_OFF,
    paper: false,
    brief: true,
  },
  questionsPerFact: {
    stages: ["index"],
    label: "Questions per fact",
    unit: "questions",
    about: "Number of paraphrase questions in the routing index per fact.",
    source: "Routing; the paper does not state how many",
    kind: whole(0, 16),
    paper: 3,
    // Ranked facts find the needed sentence without them; writing them takes a tenth of a run.
    sharp: 0,
  },
  routing: {
    stages: ["route"],
    label: "Ranking",
    about: "Rank anchors by cosine, by words, or by both with reciprocal rank fusion.",
    source: "Routing; dense only is a row of its Table 5",
    kind: choice({ fused: "Fused", dense: "Dense only", lexical: "Lexical only" }),
    paper: "fused",
    sharp: "lexical",
    brief: true,
  },
  lexical: {
    stages: ["route"],
    label: "Word weights",
    about:
      "BM25+ over word stems without stop words, or the sum of the inverse document frequencies of the unchanged words.",
    source: "Routing, inverse document frequency; BM25+ is ours",
    kind: choice({ bm25: "BM25+", idf: "Inverse document frequency" }),
    paper: "idf",
    sharp: "bm25",
  },
  denseFloor: {
    stages: ["route"],
    label: "Cosine floor",
    about:
      "An anchor without a word of the question must reach this cosine. Calibrated uses the value found for the embedder on constructed pairs, and words alone if it cannot separate them. −1 disables the floor.",
    source: "Ours; the paper has no floor",
    kind: limit(-1, 1, 0.05, "calibrated"),
    paper: -1,
    sharp: null,
  },
  ranking: {
    stages: ["route"],
    label: "Ranked items",
    about:
      "Anchors as in the paper, each with all its facts, or single facts: by BM25+ alone, or by it, the neighbouring sentences, the meaning and what the question asks for, with learned weights. The meaning counts if the text was memorised with learned weights.",
    source: "Routing; ranked facts are ours (docs/decisions)",
    kind: choice({
      anchors: ["Anchors", "as in the paper"],
      bm25: ["Facts, by words", "BM25+"],
      learned: ["Facts, by learned weights", "words, neighbours, meaning and the kind of question"],
    }),
    paper: "anchors",
    sharp: "learned",
    brief: true,
  },
  answers: {
    stages: ["answer"],
    label: "Short answers",
    about:
      "As in the paper: the model sees every routed fact and its words are the answer. Ours: a question for two things is answered in two parts, only facts with an open gate are used, and a reader marks the words that answer in the best sentence. The model is asked if several facts must be put together or the reader is not sure, and its words are shown only if a cited sentence supports them.",
    source: "Ours",
    kind: paperOrOurs(
      "the model’s words, marked if unsupported",
      "words of a recalled sentence, or words that one supports",
    ),
    paper: "paper",
    sharp: "ours",
  },
  answerTokens: {
    stages: ["answer"],
    label: "Longest answer",
    unit: "tokens",
    about: "The answer ends after this many tokens.",
    source: "The paper does not state it",
    kind: whole(1, 1024),
    paper: 32,
  },
  answerLevel: {
    stages: ["answer"],
    label: "Least probability of an answer",
    about:
      "Show a short answer only if the model gives its words at least this probability (geometric mean over tokens); 0 for no limit.",
    source: "Ours; npm run bench -- answers shows how often answers above it are right",
    kind: number(0, 1, 0.01),
    paper: 0,
    // Above 0.98 about 20 of 21 answers were right (docs/benchmarks).
    sharp: 0.98,
    brief: true,
  },
} as const satisfies Readonly<Record<string, Parameter>>;
