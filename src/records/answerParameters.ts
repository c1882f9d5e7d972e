/** @file The rows of the table of parameters (parameters.ts) that say what is made of recalled facts. */

import { number, ON_OFF, whole, type Parameter } from "./parameterKinds.ts";

export const ANSWER_PARAMETERS = {
  splitQuestions: {
    stages: ["answer"],
    label: "Answer in parts",
    about: "A question that asks for two things is answered in two, each from the facts that were recalled.",
    source: "Ours",
    kind: ON_OFF,
    paper: false,
    sharp: true,
    before: false,
  },
  withhold: {
    stages: ["answer"],
    label: "Withhold behind a shut gate",
    about:
      "Where no gate opens, the frozen model speaks for itself: with this the answer does not rest on what it says.",
    source: "Ours; the paper puts every routed fact before the model",
    kind: ON_OFF,
    paper: false,
    sharp: true,
    before: true,
  },
  bornOut: {
    stages: ["answer"],
    label: "Only what facts bear out",
    about:
      "The model's words stand as an answer only where a sentence that they cite says them; else the recalled sentences stand alone. Without this they always stand, marked where no sentence says them.",
    source: "Ours; the paper gives what the model says",
    kind: ON_OFF,
    paper: false,
    sharp: true,
    before: true,
  },
  askAlone: {
    stages: ["answer"],
    label: "Ask again of one sentence",
    about:
      "Where no short answer stands and one recalled sentence shares clearly more with the question than any other, the model is asked again with that one alone; what it bears out stands, marked.",
    source: "Ours; npm run bench -- answers --set askAlone=off shows what is answered without it",
    kind: ON_OFF,
    paper: false,
    // Of 120 questions of five texts it answers two more right, and three more wrong, all marked.
    sharp: true,
    before: false,
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
      "A short answer stands above the recalled sentences only where the model gives its words at least this probability (geometric mean over tokens); 0 asks for none.",
    source: "Ours; npm run bench -- answers shows how often answers above it are right",
    kind: number(0, 1, 0.01),
    paper: 0,
    // Of 208 bAbI and prose questions 111 of 112 answers above 0.95 were right, of 100 about novels and notes 1 of 3
    // between 0.95 and 0.98 and 19 of 20 above (docs/benchmarks).
    sharp: 0.98,
    before: 0,
    brief: true,
  },
} as const satisfies Readonly<Record<string, Parameter>>;
