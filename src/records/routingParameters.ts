/** @file The rows of the table of parameters (parameters.ts) that say how a question finds its facts. */

import { choice, limit, ON_OFF, whole, type Parameter } from "./parameterKinds.ts";

export const ROUTING_PARAMETERS = {
  index: {
    stages: ["index"],
    label: "Index",
    about:
      "What the routing index keeps beside its vectors: values and questions in words, or salted hashes of their terms and no sentence.",
    source: "Routing; wordless is ours",
    kind: choice(
      { value: "words", label: "In words" },
      {
        value: "wordless",
        label: "Wordless",
        note: "no sentence and no question stays; a fact is known by its vectors alone",
      },
    ),
    paper: "words",
    before: "words",
    brief: true,
  },
  routing: {
    stages: ["route"],
    label: "Ranking",
    about: "Which rankings of the anchors count: by cosine, by words, or both by reciprocal rank fusion.",
    source: "Routing; dense only is a row of its Table 5",
    kind: choice(
      { value: "fused", label: "Fused" },
      { value: "dense", label: "Dense only" },
      { value: "lexical", label: "Lexical only" },
    ),
    paper: "fused",
    before: "fused",
    brief: true,
  },
  lexical: {
    stages: ["route"],
    label: "Word weights",
    about:
      "BM25+ with stems and without words that every question has, or the sum of inverse document frequencies of the words as they stand.",
    source: "Routing, inverse document frequency; BM25+ is ours",
    kind: choice({ value: "bm25", label: "BM25+" }, { value: "idf", label: "Inverse document frequency" }),
    paper: "idf",
    sharp: "bm25",
    before: "bm25",
  },
  denseFloor: {
    stages: ["route"],
    label: "Cosine floor",
    about:
      "What shares no word with the question must be this near to it; calibrated takes what made pairs show of the embedder, and words alone where it cannot tell those apart; −1 asks for no likeness.",
    source: "Ours; the paper has no floor",
    kind: limit(-1, 1, 0.05, "calibrated"),
    paper: -1,
    sharp: null,
    before: null,
  },
  denseAlone: {
    stages: ["route"],
    label: "Strong hit alone",
    about:
      "The anchor nearest by cosine is kept above the floor even where no word leads to it: fused, it would have half of a leader of both rankings at most.",
    source: "Ours",
    kind: ON_OFF,
    paper: false,
    sharp: true,
    before: false,
  },
  rareFacts: {
    stages: ["route"],
    label: "Facts by rare words",
    unit: "facts",
    about:
      "At most this many facts are recalled beside the routed ones since they hold a word of the question that none of those holds and hardly any other fact does; 0 for none.",
    source: "Ours",
    kind: whole(0, 16),
    paper: 0,
    sharp: 3,
    before: 0,
  },
  noFacts: {
    stages: ["answer"],
    label: "Without facts",
    about:
      "Where nothing was routed or recalled: say that it is not in memory, or ask the model all the same.",
    source: "Ours; the paper has no such case",
    kind: choice({ value: "say", label: "Say so" }, { value: "ask", label: "Ask the model" }),
    paper: "ask",
    sharp: "say",
    before: "say",
  },
} as const satisfies Readonly<Record<string, Parameter>>;
