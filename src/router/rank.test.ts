import { describe, expect, test } from "vitest";
import { charOffset, factId, type DocumentId } from "../records/ids.ts";
import type { RoutingDocument, RoutingFact } from "../records/memory.ts";
import { PAPER, SHARP } from "../records/params.ts";
import { cuesOf, asksOf, hasCue } from "./cues.ts";
import { BM25_ALONE, FEATURE_NAMES, LEARNED, rankFacts } from "./rank.ts";
import { route } from "./route.ts";
import { buildIndex, type RouterIndex } from "./routerIndex.ts";
import { termHasher, withoutWords } from "./wordless.ts";

/** Sentences of one document, each under the anchor before its colon ("Ann: Ann sang."), as routing documents. */
function documentsOf(lines: readonly string[]): RoutingDocument[] {
  const documents = new Map<string, RoutingDocument & { facts: RoutingFact[] }>();
  lines.forEach((line, i) => {
    const [anchor, value] = line.split(": ") as [string, string];
    const known = documents.get(anchor) ?? {
      ...{ anchor, order: documents.size, facts: [] },
      vector: new Float32Array(0),
    };
    documents.set(anchor, known);
    const id = factId("d" as DocumentId, charOffset(100 * i));
    known.facts.push({ id, index: known.facts.length + 1, value, questions: [] });
  });
  return [...documents.values()];
}

const STORY = [
  "cat: There was once a grey cat in the mill.",
  "Anna: Anna the miller's daughter struck a bargain with the cat.",
  "It: It was to catch ten mice every night.",
  "milk: In return she gave it a bowl of milk.",
  "Anna: One evening Anna forgot the bowl.",
  "cat: The cat was so angry that it ran to the castle.",
  "king: “Who are you?” asked the king.",
  "king: The king died in 1402.",
];

const values = (index: RouterIndex, question: string, weights = LEARNED): (string | null)[] =>
  rankFacts(question, index, weights).map(({ position }) => index.facts[position]!.fact.value);

describe("ranking of facts", () => {
  const index = buildIndex(documentsOf(STORY));

  test.each([
    ["How many mice was the cat to catch?", "It was to catch ten mice every night."],
    ["Where did the cat run?", "The cat was so angry that it ran to the castle."],
    ["How did the cat feel?", "The cat was so angry that it ran to the castle."],
    [
      "Who made the bargain to strike with the cat?",
      "Anna the miller's daughter struck a bargain with the cat.",
    ],
    ["When did the king die?", "The king died in 1402."],
    ["What did Anna forget one evening?", "One evening Anna forgot the bowl."],
  ])("%s", (question, expected) => {
    expect(values(index, question)[0]).toBe(expected);
  });

  test("a sentence without a word of the question is found beside one that has them", () => {
    const found = values(index, "What did the daughter strike a bargain for?");
    expect(found.slice(0, 3)).toContain("It was to catch ten mice every night.");
    expect(values(index, "What did the daughter strike a bargain for?", BM25_ALONE)[0]).toMatch(/^Anna/);
  });

  test("nothing ranks for a question without a known word", () => {
    expect(rankFacts("Is photosynthesis efficient?", index, LEARNED)).toEqual([]);
    expect(route("Is photosynthesis efficient?", null, index, SHARP)).toMatchObject({
      facts: [],
      anchors: [],
    });
  });

  test("a question about something else routes nothing, although it shares a common word", () => {
    const told = route("Which evening train reaches the harbour station of Lisbon?", null, index, {
      ...SHARP,
      maxFacts: 5,
    });
    expect(told.facts).toEqual([]);
    expect(told.anchors.every(({ kept }) => !kept)).toBe(true);
    expect(told.anchors[0]!.why).toBe("cut: too few words of the question");
    expect(told.anchors.length).toBeGreaterThan(0);
  });

  test("hashes rank as words do", () => {
    const hasher = termHasher("salt");
    const hashed = documentsOf(STORY).map((document) => ({
      ...document,
      facts: document.facts.map((fact) => withoutWords(fact, hasher)),
    }));
    const silent = buildIndex(hashed, "salt");
    for (const question of [
      "How many mice was the cat to catch?",
      "Where did the cat run?",
      "Who is the king?",
    ]) {
      const compact = (ranked: ReturnType<typeof rankFacts>) =>
        ranked.map(({ position, score }) => [position, score.toFixed(9)]);
      expect(compact(rankFacts(question, silent, LEARNED))).toEqual(
        compact(rankFacts(question, index, LEARNED)),
      );
    }
  });

  test("a route names the facts, their anchors, and what each feature added", () => {
    const told = route("Where did the cat run?", null, index, { ...SHARP, maxFacts: 2 });
    expect(told.facts).toHaveLength(2);
    expect(told.anchors.filter(({ kept }) => kept).map(({ anchor }) => anchor)).toContain("cat");
    expect(told.anchors.filter(({ kept }) => !kept).every(({ why }) => why.startsWith("cut"))).toBe(true);
    const [first] = told.ranked!;
    expect(first!.parts.reduce((sum, [, added]) => sum + added, 0)).toBeCloseTo(first!.score, 1);
    expect(first!.parts.map(([feature]) => feature)).toContain("asks where, has a place");
    expect(
      route("Where did the cat run?", null, index, { ...PAPER, routing: "lexical" }).ranked,
    ).toBeUndefined();
  });

  test("the last holder of a thing is among the facts for its place", () => {
    const moves = buildIndex(
      documentsOf([
        "Mary: Mary took the football.",
        ...Array.from({ length: 30 }, (_, i) => `Bill: Bill read book ${i} in the garden.`),
        "Mary: Mary went to the kitchen.",
      ]),
    );
    const said = new Map(moves.facts.map(({ fact }) => [fact.id, fact.value]));
    const { facts } = route("Where is the football?", null, moves, SHARP);
    expect(facts.map((id) => said.get(id))).toContain("Mary went to the kitchen.");
  });

  test("a vector that comes near adds its cosine", () => {
    const position = index.facts.findIndex(({ fact }) => fact.value === "The king died in 1402.");
    const near = rankFacts("Who reigned?", index, { cosine: 1 }, new Map([[position, 0.5]]));
    expect(near.map((one) => one.position)).toEqual([position]);
  });

  test("every learnt weight belongs to a feature", () => {
    for (const name of Object.keys(LEARNED)) expect(FEATURE_NAMES).toContain(name);
  });
});

describe("cues", () => {
  test.each([
    ["It was cold.", "pronoun"],
    ["She had 12 sheep.", "number"],
    ["He met Tom there.", "name"],
    ["“Come in,” he said.", "speech"],
    ["They wept because the well was dry.", "cause"],
    ["They wept because the well was dry.", "feeling"],
  ] as const)("%s has %s", (sentence, cue) => {
    expect(hasCue(cuesOf(sentence), cue)).toBe(true);
  });

  test("a plain sentence has neither number nor speech nor pronoun", () => {
    const bits = cuesOf("The dog sleeps.");
    expect((["number", "speech", "pronoun", "name"] as const).filter((cue) => hasCue(bits, cue))).toEqual([]);
  });

  test.each([
    ["Who is Tom?", "who"],
    ["In which town is it?", "where"],
    ["How old is she?", "howMany"],
    ["How did Tom feel about it?", "feel"],
    ["What happened after the ball?", "next"],
  ] as const)("%s asks %s", (question, ask) => {
    expect(asksOf(question).has(ask)).toBe(true);
  });
});
