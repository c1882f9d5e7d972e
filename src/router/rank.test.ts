import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { sentences } from "../ingest/sentences.ts";
import { makeDocument } from "../ingest/text.ts";
import { charOffset, factId, offsetOf, type DocumentId, type FactId } from "../records/ids.ts";
import type { Fact } from "../records/fact.ts";
import { PAPER, SHARP } from "../records/params.ts";
import { factHasher, grouped, type RoutingInput } from "./documents.ts";
import { meaningOf } from "./meaning.ts";
import { lexicalIndex } from "./lexical.ts";
import { cuesOf, asksOf, hasCue } from "./cues.ts";
import { BM25_ALONE, FEATURE_NAMES, LEARNED, rankFacts } from "./rank.ts";
import { seeksHolder } from "./holders.ts";
import { route } from "./route.ts";
import { buildIndex, type RouterIndex } from "./routerIndex.ts";

/** Sentences of one document, each under the anchor before its colon ("Ann: Ann sang."), as an index. */
function indexOf(lines: readonly string[]): RouterIndex {
  const documentId = "d" as DocumentId;
  const anchors = new Map<string, number>();
  const inputs = lines.map((line, i): RoutingInput => {
    const [anchor, value] = line.split(": ") as [string, string];
    const index = (anchors.get(anchor) ?? 0) + 1;
    anchors.set(anchor, index);
    const offset = charOffset(100 * i);
    const id = factId(documentId, offset);
    const anchorOrder = [...anchors.keys()].indexOf(anchor);
    const fact: Fact = { id, documentId, anchor, anchorOrder, index, value, offset };
    return { fact, questions: [] };
  });
  const hashed = factHasher("salt", meaningOf);
  const vector = new Float32Array(0);
  const documents = grouped(inputs).map((one) => ({ ...one, facts: one.inputs.map(hashed), vector }));
  return buildIndex(documents, ["salt"]);
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
  "tower: Its height is 54 metres.",
  "tower: The tower has a high gate.",
  "tower: Its price was 48 crowns.",
];

/** What the line of a fact says. */
const valueIn = (lines: readonly string[], id: FactId): string => lines[offsetOf(id) / 100]!.split(": ")[1]!;

const values = (index: RouterIndex, question: string, weights = LEARNED): string[] =>
  rankFacts(question, index, weights).map(({ position }) => valueIn(STORY, index.facts[position]!.fact.id));

describe("ranking of facts", () => {
  const index = indexOf(STORY);

  beforeAll(() => index.prepare());

  test.each([
    ["How many mice was the cat to catch?", "It was to catch ten mice every night."],
    ["Where did the cat run?", "The cat was so angry that it ran to the castle."],
    ["How did the cat feel?", "The cat was so angry that it ran to the castle."],
    [
      "Who made the bargain to strike with the cat?",
      "Anna the miller's daughter struck a bargain with the cat.",
    ],
    ["When did the king die?", "The king died in 1402."],
    ["How much is the tower?", "Its price was 48 crowns."],
    ["What does the tower cost?", "Its price was 48 crowns."],
    ["How tall is the tower?", "Its height is 54 metres."],
    ["What did Anna forget one evening?", "One evening Anna forgot the bowl."],
  ])("%s", (question, expected) => {
    expect(values(index, question)[0]).toBe(expected);
  });

  test("a sentence without a word of the question is found beside one that has them", () => {
    const found = values(index, "What did the daughter strike a bargain for?");
    expect(found.slice(0, 3)).toContain("It was to catch ten mice every night.");
    expect(values(index, "What did the daughter strike a bargain for?", BM25_ALONE)[0]).toMatch(/^Anna/);
  });

  test("a word that no fact has stands for its near words, once they are read; a word that a fact has does not", async () => {
    const lines = [
      "maker: The maker gives a guarantee of three years.",
      "cord: The cord has a length of a metre.",
      "field: The airfield lies in the north.",
      "port: The airport was built later.",
    ];
    const notes = indexOf(lines);
    const first = (question: string) => {
      const [best] = rankFacts(question, notes, LEARNED);
      return best && valueIn(lines, notes.facts[best.position]!.fact.id);
    };
    expect(first("Is there a warranty?")).toBeUndefined();
    await notes.prepare();
    expect(first("Is there a warranty?")).toBe("The maker gives a guarantee of three years.");
    expect(first("What are warranties for?")).toBe("The maker gives a guarantee of three years.");
    expect(first("Which airport is it?")).toBe("The airport was built later.");
    const ranked = rankFacts("Which airport is it?", notes, BM25_ALONE).filter(({ score }) => score > 0);
    expect(ranked).toHaveLength(1);
  });

  test("a heading counts for the sentences under it, and comes after them", () => {
    const lines = [
      "warm: Keeping warm",
      "button: Press the button with a cup.",
      "ring: The ring turns orange while this function is on.",
      "signal: Silencing the signal",
      "button: Hold the round button.",
      "ring: The ring turns off.",
    ];
    const notes = indexOf(lines);
    const ranked = rankFacts("Which ring is shown while keeping it warm?", notes, LEARNED);
    const order = ranked.map(({ position }) => valueIn(lines, notes.facts[position]!.fact.id));
    expect(order[0]).toBe("The ring turns orange while this function is on.");
    expect(order.indexOf("Keeping warm")).toBeGreaterThan(0);
  });

  test("no fact is listed for a question that is far from all", () => {
    expect(route("Is photosynthesis efficient?", null, index, SHARP)).toMatchObject({ facts: [], far: true });
  });

  test("a question about something else gets the nearest sentences, marked as far from it", () => {
    const told = route("Which evening did the orchestra rehearse that famous symphony?", null, index, {
      ...SHARP,
      maxFacts: 5,
    });
    expect(told.far).toBe(true);
    expect(valueIn(STORY, told.facts[0]!)).toBe("One evening Anna forgot the bowl.");
    expect(route("Where did the cat run?", null, index, { ...SHARP, maxFacts: 5 }).far).toBeUndefined();
  });

  test("a small memory without a word of the question is far from it, though another word is near one of them", async () => {
    const notes = indexOf(["weather: The weather was great.", "hut: The hut has two rooms."]);
    await notes.prepare();
    expect(route("What is the capital of Peru?", null, notes, SHARP)).toMatchObject({ far: true });
    expect(route("Is the hut in Peru?", null, notes, SHARP).far).toBeUndefined();
  });

  test("hashes rank as words do, for twenty questions about notes", () => {
    const [notes] = JSON.parse(readFileSync("data/answers/questions.json", "utf8")) as [
      { file: string; questions: { ask: string }[] },
    ];
    const found = sentences(makeDocument("notes", readFileSync(notes.file, "utf8")));
    const lines = Array.from(found, ({ text }, i) => `note ${i}: ${text.replaceAll(": ", " ")}`);
    const inWords = lexicalIndex(
      lines.map((line) => ({ value: line.split(": ")[1]! })),
      ["value"],
    );
    const hashed = indexOf(lines);
    expect(notes.questions).toHaveLength(20);
    for (const { ask } of notes.questions) {
      const scores = inWords.rank(ask, "bm25");
      const [best] = scores.values();
      const ranked = rankFacts(ask, hashed, BM25_ALONE).filter(({ score }) => score > 0);
      expect(ranked.map(({ position }) => position)).toEqual([...scores.keys()]);
      for (const { position, score } of ranked)
        expect(score).toBeCloseTo(scores.get(position)!.score / best!.score, 9);
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
    const lines = [
      "Mary: Mary took the football.",
      ...Array.from({ length: 30 }, (_, i) => `Bill: Bill read book ${i} in the garden.`),
      "Mary: Mary went to the kitchen.",
    ];
    const { facts } = route("Where is the football?", null, indexOf(lines), SHARP);
    expect(facts.map((id) => valueIn(lines, id))).toContain("Mary went to the kitchen.");
  });

  test("a thing that is an anchor too has a holder if most sentences with it are under other anchors; a person has none", () => {
    const lines = [
      "Football: Football is a game for long afternoons, and the football of this town is known for its roughness.",
      ...Array.from(
        { length: 30 },
        (_, i) => `boy: The boy ${i} of the long road had heard of football, and of little else.`,
      ),
      "Mary: Mary went to the kitchen.",
      "Mary: Mary dropped the football.",
    ];
    const index = indexOf(lines);
    const { facts } = route("Where is the football?", null, index, SHARP);
    expect(facts.map((id) => valueIn(lines, id))).toContain("Mary went to the kitchen.");
    expect(seeksHolder("Where is the football?", index)).toBe(true);
    expect(seeksHolder("Where is Mary?", index)).toBe(false);
    expect(seeksHolder("Who dropped the football?", index)).toBe(false);
  });

  test("a vector that comes near adds its cosine", () => {
    const position = index.facts.findIndex(
      ({ fact }) => valueIn(STORY, fact.id) === "The king died in 1402.",
    );
    const near = rankFacts("Who reigned?", index, { cosine: 1 }, new Map([[position, 0.5]]));
    expect(near.map((one) => one.position)).toEqual([position]);
  });

  test("every learnt weight belongs to a feature", () => {
    for (const name of Object.keys(LEARNED)) expect(FEATURE_NAMES).toContain(name);
  });
});

describe("a name in more sentences than are recalled", () => {
  // Each sentence of the novel names Mary twice around another one, so its neighbours fit as well.
  const novel = Array.from({ length: 40 }, (_, i) => [
    `Mary: In the great hall of the old house near the river Mary thought of the winter number ${i}.`,
    `Mary: From the window of the library Mary looked for a long time at the road to the village of ${i} trees.`,
    `Kitty: In the garden behind the house Kitty waited for Mary and for a letter of ${i} pages.`,
  ]).flat();
  const lines = [
    ...novel.slice(0, 60),
    "rain: It rained.",
    "Mary: Mary went to the attic.",
    "rain: It snowed.",
    ...novel.slice(60),
  ];
  const index = indexOf(lines);

  test("a short statement about it is recalled among them", () => {
    const ranked = rankFacts("Where is Mary?", index, LEARNED);
    const at = ranked.findIndex(
      ({ position }) => valueIn(lines, index.facts[position]!.fact.id) === "Mary went to the attic.",
    );
    expect(at).toBeGreaterThan(SHARP.maxFacts);
    const { facts } = route("Where is Mary?", null, index, SHARP);
    expect(facts).toHaveLength(SHARP.maxFacts);
    expect(facts.map((id) => valueIn(lines, id))).toContain("Mary went to the attic.");
    // The learned ranking decides about the first ones.
    expect(facts.slice(0, 5)).toEqual(
      ranked.slice(0, 5).map(({ position }) => index.facts[position]!.fact.id),
    );
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
    ["Keeping warm", "heading"],
    ["12 Notes", "heading"],
    ["He had just turned his thirtieth year.", "number"],
    ["You can see it every Wednesday at two.", "time"],
    ["The coach leaves at 12.45 sharp.", "time"],
  ] as const)("%s has %s", (sentence, cue) => {
    expect(hasCue(cuesOf(sentence), cue)).toBe(true);
  });

  test("a plain sentence has neither number nor speech nor pronoun", () => {
    const bits = cuesOf("The dog sleeps.");
    expect(
      (["number", "speech", "pronoun", "name", "heading", "time"] as const).filter((cue) =>
        hasCue(bits, cue),
      ),
    ).toEqual([]);
  });

  test.each([
    ["Who is Tom?", "who"],
    ["In which town is it?", "where"],
    ["How old is she?", "howMany"],
    ["How did Tom feel about it?", "feel"],
    ["What happened after the ball?", "next"],
    ["By when must I reply?", "when"],
    ["On which days does the loom run?", "when"],
  ] as const)("%s asks %s", (question, ask) => {
    expect(asksOf(question).has(ask)).toBe(true);
  });

  test("a clause with when does not ask for a time", () => {
    expect(asksOf("What did Tom say when Ann left?").has("when")).toBe(false);
  });
});
