import { beforeAll, describe, expect, test } from "vitest";
import { ruleQuestions } from "../extract/questions.ts";
import type { Fact } from "../records/fact.ts";
import { charOffset, factId, type DocumentId, type FactId } from "../records/ids.ts";
import { haveVectors, type RoutingDocument } from "../records/memory.ts";
import { PAPER, SHARP as PRESET, type MethodParams } from "../records/params.ts";
import { buildRouting, forgetFacts, noVectors, type RoutingInput } from "./documents.ts";
import { route, type RouteParams } from "./route.ts";
import { buildIndex, type RouterIndex } from "./routerIndex.ts";
import { contentTerms, indexTerms, indexWords } from "../lib/terms.ts";
import { tokens } from "../lib/tokens.ts";
import { conceptEmbed, conceptVector } from "./testing/concepts.ts";

/** With anchors ranked; rank.test.ts has the ranking of facts. */
const SHARP: MethodParams = { ...PRESET, ranking: "anchors", routing: "fused", factVectors: true };

/** "anchor: value" lines -> facts in source order. */
function facts(lines: readonly string[]): Fact[] {
  const counts = new Map<string, number>();
  return lines.map((line, i) => {
    const [anchor, value] = line.split(": ") as [string, string];
    counts.set(anchor, (counts.get(anchor) ?? 0) + 1);
    const documentId = "d" as DocumentId;
    const offset = charOffset(i);
    const anchorOrder = [...counts.keys()].indexOf(anchor);
    return {
      id: factId(documentId, offset),
      documentId,
      anchor,
      anchorOrder,
      index: counts.get(anchor)!,
      value,
      offset,
    };
  });
}

/** The values of facts, which an index does not keep. */
const VALUES = new WeakMap<RouterIndex, ReadonlyMap<FactId, string>>();

async function corpus(lines: readonly string[], params = SHARP): Promise<RouterIndex> {
  const inputs = facts(lines).map((fact) => ({ fact, questions: ruleQuestions(fact.value, fact.anchor, 3) }));
  const index = buildIndex(await buildRouting(inputs, "salt", params, conceptEmbed), ["salt"]);
  VALUES.set(index, new Map(inputs.map(({ fact }) => [fact.id, fact.value])));
  return index;
}

interface Told {
  readonly kept: string[];
  readonly values: string[];
  readonly why: Record<string, string>;
}

function ask(
  index: RouterIndex,
  question: string,
  params: RouteParams = SHARP,
  vector = conceptVector(question),
): Told {
  const routed = route(question, vector, index, params);
  const values = VALUES.get(index)!;
  return {
    kept: routed.anchors.filter(({ kept }) => kept).map(({ anchor }) => anchor),
    values: routed.facts.map((id) => values.get(id)!),
    why: Object.fromEntries(routed.anchors.map(({ anchor, why }) => [anchor, why])),
  };
}

const STORY = [
  "Mary: Mary got the milk there.",
  "John: John moved to the bedroom.",
  "Sandra: Sandra went back to the kitchen.",
  "Mary: Mary travelled to the hallway.",
  "Fred: Fred gave the football to Jeff.",
  "Jeff: Jeff went to the office.",
];

describe("a bAbI story", () => {
  let story: RouterIndex;
  let paper: RouterIndex;
  beforeAll(async () => {
    story = await corpus(STORY);
    paper = await corpus(STORY, PAPER);
  });

  test("Where is Sandra? A verbatim anchor restricts routing to it", () => {
    const told = ask(story, "Where is Sandra?");
    expect(told.kept).toEqual(["Sandra"]);
    expect(told.values).toEqual(["Sandra went back to the kitchen."]);
    expect(told.why["Sandra"]).toBe("verbatim anchor in the question");
    expect(ask(story, "Where is Sandra's milk?").why["Mary"]).toBe(
      "cut: a verbatim anchor restricts routing",
    );
  });

  test.each(["where is sandra", "Is this Sandra's kitchen?", "SANDRA?"])(
    "verbatim in another dress: %s",
    (question) => {
      expect(ask(story, question).kept).toEqual(["Sandra"]);
    },
  );

  test("part of a word is no verbatim anchor", () => {
    expect(ask(story, "Where is Sandrang?").why["Sandra"]).not.toBe("verbatim anchor in the question");
  });

  test("Where is the milk? No anchor is named; the person whose facts speak of it comes first, with all their facts", () => {
    for (const [index, params] of [
      [story, SHARP],
      [paper, PAPER],
    ] as const) {
      const told = ask(index, "Where is the milk?", params);
      expect(told.kept[0]).toBe("Mary");
      expect(told.values.slice(0, 2)).toEqual(["Mary got the milk there.", "Mary travelled to the hallway."]);
    }
  });

  test("Who gave the football to Jeff? Sharp reaches the fact filed under Fred, paper does not", () => {
    const question = "Who gave the football to Jeff?";
    const told = ask(story, question);
    expect(told.values).toContain("Fred gave the football to Jeff.");
    expect(told.why).toMatchObject({ Fred: "matched by a fact", Jeff: "verbatim anchor in the question" });
    expect(ask(paper, question, PAPER).kept).toEqual(["Jeff"]);
  });

  test("a paraphrase without a shared word is found by the dense side", () => {
    expect(ask(story, "Which beverage?").kept[0]).toBe("Mary");
  });

  test("a question about nothing in memory has an empty route", () => {
    expect(route("Why do volcanoes erupt?", conceptVector("volcanoes erupt"), story, SHARP)).toEqual({
      question: "Why do volcanoes erupt?",
      anchors: [],
      facts: [],
    });
    expect(route("", null, story, SHARP).facts).toEqual([]);
    expect(route("Where is it?", null, buildIndex([], ["salt"]), SHARP).facts).toEqual([]);
  });

  test("routes by words alone without a vector", () => {
    const { anchors } = route("Who took the milk?", null, story, SHARP);
    expect(anchors[0]).toMatchObject({
      anchor: "Mary",
      denseRank: null,
      denseScore: null,
      lexicalRank: 1,
      kept: true,
    });
  });

  test("every scored anchor is listed with its ranks, and the fused score is their sum", () => {
    const { anchors } = route("Where is the milk?", conceptVector("milk"), paper, PAPER);
    for (const { denseRank, lexicalRank, fused } of anchors) {
      const part = (rank: number | null): number => (rank === null ? 0 : 1 / (60 + rank));
      expect(fused).toBeCloseTo(part(denseRank) + part(lexicalRank), 12);
    }
    expect(anchors.map(({ fused }) => fused)).toEqual(
      anchors.map(({ fused }) => fused).toSorted((a, b) => b - a),
    );
  });
});

describe("rare names and identifiers", () => {
  test("a code finds its one fact among many that share all other words", async () => {
    const lines = Array.from(
      { length: 40 },
      (_, i) => `Project P${i}: The vault code of Project P${i} is XK-${1000 + i}.`,
    );
    const index = await corpus(lines);
    expect(ask(index, "What belongs to XK-1017?").values[0]).toContain("P17");
    expect(ask(index, "What is the vault code of project P3?").kept).toEqual(["Project P3"]);
  });

  test("stems meet, exact words win", async () => {
    const index = await corpus(
      ["Ann: Ann travelled to Oslo.", "Bob: Bob travels by rail.", "Eve: Eve bakes bread."],
      PAPER,
    );
    const lexical = { ...PAPER, routing: "lexical", lexical: "bm25" } as const;
    expect(ask(index, "Who is travelling?", lexical).kept.toSorted()).toEqual(["Ann", "Bob"]);
    expect(ask(index, "Who travels?", lexical).kept[0]).toBe("Bob");
    // The paper's weights know words as they stand.
    const plain = { ...lexical, lexical: "idf" } as const;
    expect(ask(index, "Travelling?", plain).kept).toEqual([]);
    expect(ask(index, "Travels?", plain).kept).toEqual(["Bob"]);
  });

  test("by inverse document frequency alone a rare word outweighs common ones", async () => {
    const index = await corpus(
      ["Ann: Ann is in the old house.", "Bob: Bob is in the old barn.", "Eve: Eve owns zinnias."],
      PAPER,
    );
    const plain = { ...PAPER, routing: "lexical", routeShare: 0.9 } as const;
    expect(ask(index, "In the house?", plain).kept[0]).toBe("Ann");
    expect(ask(index, "In the zinnias?", plain).kept[0]).toBe("Eve");
  });

  test("a small word that is also a name counts only as a name", async () => {
    const index = await corpus(["Will: Will moved to the garden.", "Mary: Mary got the milk."]);
    expect(ask(index, "Where will Mary go?").kept).toEqual(["Mary"]);
    expect(ask(index, "Where is Will?").kept).toEqual(["Will"]);
  });

  test("compound anchors are matched whole, articles aside", async () => {
    const index = await corpus([
      "The Duchy of Normandy: The Duchy of Normandy fell.",
      "Duchy: The Duchy rose.",
    ]);
    expect(ask(index, "When did the duchy of Normandy fall?").kept).toContain("The Duchy of Normandy");
    expect(ask(index, "Who ruled Normandy?").why["The Duchy of Normandy"]).not.toBe(
      "verbatim anchor in the question",
    );
  });
});

describe("limits", () => {
  const crowd = Array.from({ length: 9 }, (_, i) => `N${i}x: N${i}x got the milk.`);

  test("0.6 of the best, at most five anchors", async () => {
    const index = await corpus([...crowd, "Eve: Eve went to the office."], PAPER);
    const told = ask(index, "Who has the milk?", { ...PAPER, lexical: "bm25", denseFloor: null });
    expect(told.kept).toHaveLength(5);
    expect(Object.values(told.why).filter((why) => why === "cut: beyond the anchor limit")).toHaveLength(4);
    const half = ask(index, "Who went to the office for milk?", { ...PAPER, routeShare: 1 });
    expect(half.kept).toHaveLength(1);
    expect(Object.values(half.why)).toContain("cut: below 1 of the best");
  });

  test("at most 24 facts, in fused-rank order; latest first where facts have no vectors", async () => {
    const lines = Array.from({ length: 30 }, (_, i) => `Mary: Mary moved to the garden ${i}.`);
    const { values } = ask(await corpus(lines, PAPER), "Where is Mary?", PAPER);
    expect(values).toEqual(lines.slice(6).map((line) => line.slice(6)));
  });

  test("with fact vectors: the most similar facts and the latest", async () => {
    const lines = Array.from({ length: 30 }, (_, i) => `Mary: Mary moved to the garden ${i}.`);
    lines[2] = "Mary: Mary got the apple.";
    const index = await corpus(lines);
    const { values } = ask(index, "What fruit has Mary?", { ...SHARP, maxFacts: 2 });
    expect(values).toEqual(["Mary got the apple.", "Mary moved to the garden 29."]);
  });

  test("with fact vectors every kept anchor has a place; on paper the first takes all", async () => {
    const lines = [
      ...Array.from({ length: 30 }, (_, i) => `Mary: Mary got the milk ${i}.`),
      "John: John got the milk.",
    ];
    expect(ask(await corpus(lines), "Who got milk?").values).toContain("John got the milk.");
    const paper = ask(await corpus(lines, PAPER), "Who got milk?", PAPER);
    expect(paper.values).toHaveLength(24);
  });

  test.each([0, 1, 3])("never more than maxFacts = %i", async (maxFacts) => {
    expect(
      ask(await corpus(STORY), "Who has the milk or football?", { ...SHARP, maxFacts }).values.length,
    ).toBeLessThanOrEqual(maxFacts);
  });
});

test("a fact whose own vector is near brings its anchor in from far down the list", async () => {
  const lines = [
    ...Array.from({ length: 12 }, (_, i) => `N${i}x: N${i}x follows a strict plan.`),
    // Ann's document is mostly about other things, so only the single fact is near the question.
    ...Array.from({ length: 12 }, (_, i) => `Ann: Ann went to the garden, office, hallway and bedroom ${i}.`),
    "Ann: Ann never touches steak.",
  ];
  const question = "Which character must have a meat plan?";
  const told = ask(await corpus(lines), question);
  expect(told.why["Ann"]).toBe("matched by a fact");
  expect(told.values).toContain("Ann never touches steak.");
  expect(ask(await corpus(lines, PAPER), question, PAPER).kept).not.toContain("Ann");
});

test("a memory without vectors routes by words, and says so where nearness alone is asked for", async () => {
  const inputs = facts(["Mary: Mary moved to the garden.", "John: John went to the office."]).map((fact) => ({
    fact,
    questions: [],
  }));
  const documents = await buildRouting(inputs, "salt", PRESET, noVectors);
  expect(haveVectors(documents)).toBe(false);
  const index = buildIndex(documents, ["salt"]);
  const asked = (routing: RouteParams["routing"]) =>
    route("Where is Mary?", conceptVector("Where is Mary?"), index, { ...SHARP, routing }).facts;
  expect(asked("fused")).toEqual(asked("lexical"));
  expect(asked("lexical")).toEqual([inputs[0]!.fact.id]);
  expect(() => asked("dense")).toThrow(
    /has no vectors of its anchors.*memorise the text again with routing=dense/,
  );
  const embed = () => Promise.reject(new Error("nothing is to be embedded"));
  const left = await forgetFacts(documents, new Set([inputs[0]!.fact.id]), PRESET, embed, embed);
  expect(left.map(({ anchor }) => anchor)).toEqual(["John"]);
});

describe("which ranking counts", () => {
  const lines = [
    "Ann: Ann likes steak.",
    ...Array.from({ length: 6 }, (_, i) => `N${i}x: N${i}x left the beverage list ${i}.`),
  ];
  const question = "Which list has a diet?";

  test("one side alone, or both", async () => {
    const index = await corpus(lines, PAPER);
    const kept = (routing: "dense" | "lexical") => ask(index, question, { ...PAPER, routing }).kept;
    expect(kept("dense")[0]).toBe("Ann");
    expect(kept("lexical")).not.toContain("Ann");
    const { anchors } = route(question, conceptVector(question), index, { ...PAPER, routing: "lexical" });
    expect(anchors.every(({ denseRank }) => denseRank === null)).toBe(true);
  });

  test("an embedder that tells nothing apart is not asked, unless it is asked alone", async () => {
    const index = await corpus(lines, PAPER);
    const params = { ...PAPER, denseFloor: null };
    const ranks = (routing: "fused" | "dense") =>
      route(question, conceptVector(question), index, { ...params, routing }, 2).anchors;
    expect(ranks("fused").map(({ denseRank }) => denseRank)).toEqual(ranks("fused").map(() => null));
    expect(ranks("fused").length).toBeGreaterThan(0);
    expect(ranks("dense")[0]).toMatchObject({ anchor: "Ann", denseRank: 1, lexicalRank: null });
  });

  test("a floor of its own keeps out what is not near enough", async () => {
    const index = await corpus(lines, PAPER);
    const near = (denseFloor: number) => ask(index, "Diet?", { ...PAPER, denseFloor }).kept;
    expect(near(0.2)).toEqual(["Ann"]);
    expect(near(0.99)).toEqual([]);
  });
});

test("vectors of two models are refused", async () => {
  const documents: RoutingDocument[] = [
    { anchor: "A", order: 0, facts: [], vector: new Float32Array([1, 0]) },
  ];
  expect(() => route("A?", new Float32Array(3), buildIndex(documents, ["salt"]), PAPER)).toThrow(
    /2 and 3|3 and 2/,
  );
});

test("one of ten thousand anchors is found", async () => {
  const many = Array.from(
    { length: 10_000 },
    (_, i) => `Name${i}: Name${i} got item ${i % 500} in room ${i % 70}.`,
  );
  const inputs = facts2(many);
  const index = buildIndex(await buildRouting(inputs, "salt", PAPER, conceptEmbed), ["salt"]);
  expect(route("Who got item 77?", conceptVector("got"), index, PAPER).facts.length).toBeGreaterThan(0);
});

/** Like `facts`, for anchors that all differ. */
function facts2(lines: readonly string[]): { fact: Fact; questions: string[] }[] {
  const [template] = facts(["A: a"]);
  return lines.map((line, i) => {
    const [anchor, value] = line.split(": ") as [string, string];
    const offset = charOffset(i);
    return {
      fact: { ...template!, id: factId(template!.documentId, offset), anchor, anchorOrder: i, value, offset },
      questions: [],
    };
  });
}

/** The routing documents of two halves of some facts, each hashed with its own salt, as in a merged memory. */
async function halves(inputs: readonly RoutingInput[]): Promise<RoutingDocument[]> {
  const half = Math.ceil(inputs.length / 2);
  const of = (some: readonly RoutingInput[], salt: string) => buildRouting(some, salt, SHARP, conceptEmbed);
  return [...(await of(inputs.slice(0, half), "salt")), ...(await of(inputs.slice(half), "other"))];
}

test("a word is counted in values alone, as it is or by its stem, with one salt and with two", async () => {
  const lines = ["Ann: Ann travelled to Oslo.", "Bob: Bob travels by rail.", "Eve: Eve is in Oslo."];
  const inputs = facts(lines).map((fact) => ({ fact, questions: ["What is known about rail?"] }));
  const documents = await buildRouting(inputs, "salt", SHARP, conceptEmbed);
  for (const index of [buildIndex(documents, ["salt"]), buildIndex(await halves(inputs), ["salt", "other"])])
    expect(["Oslo", "travel", "rail", "known"].map((word) => index.storedWith(word.toLowerCase()))).toEqual([
      2, 2, 1, 0,
    ]);
});

test("the facts that hold a word are those that a scan of all values finds, in their order", async () => {
  const people = ["Ann", "Bob", "Eve", "May"];
  const words = ["moved", "moves", "Will-o", "re-read", "Zürich", "zurich", "AB-12", "12", "café", "will"];
  const lines = Array.from({ length: 60 }, (_, i) => {
    const said = words.filter((_, w) => (i * (w + 3) + w) % 7 === 0).join(" ");
    return `${people[i % 4]!}: ${people[(i * 3) % 4]!} ${said} ${said} thing ${i}.`;
  });
  const inputs = facts(lines).map((fact) => ({ fact, questions: ["What is known of moves?"] }));
  const documents = await buildRouting(inputs, "salt", SHARP, conceptEmbed);
  const valueOf = new Map(inputs.map(({ fact }) => [fact.id, fact.value]));
  const termsOf = (ordered: readonly RoutingDocument[]) =>
    ordered.flatMap((one) => one.facts.map(({ id }) => indexWords(valueOf.get(id)!).flatMap(indexTerms)));
  const asked = [...new Set(lines.flatMap((line) => tokens(line).map(({ word }) => word)))];
  const scanned = (values: readonly string[][], word: string) => {
    const terms = contentTerms(word);
    return values.flatMap((held, fact) => (terms.some((term) => held.includes(term)) ? [fact] : []));
  };
  const merged = await halves(inputs);
  for (const [ordered, index] of [
    [documents, buildIndex(documents, ["salt"])],
    [merged, buildIndex(merged, ["salt", "other"])],
  ] as const) {
    const values = termsOf(ordered);
    for (const word of [...asked, "the", "nowhere"])
      expect(index.holding(word), word).toEqual(scanned(values, word));
  }
  expect(scanned(termsOf(documents), "moves").length).toBeGreaterThan(10);
});
