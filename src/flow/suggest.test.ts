/** @file Suggested questions: made by rule from the sentences of real texts, and each leads the real router to its sentence. */

import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, it, test } from "vitest";
import { frequentNames, namesOf, questionsAboutThings, suggestedQuestions } from "../extract/suggestions.ts";
import { sentences } from "../ingest/sentences.ts";
import { makeDocument } from "../ingest/text.ts";
import { factId, type DocumentId, type FactId } from "../records/ids.ts";
import { SHARP } from "../records/params.ts";
import { factHasher, grouped } from "../router/documents.ts";
import { buildIndex } from "../router/routerIndex.ts";
import { routeQuestion, type OpenMemory } from "./answer.ts";
import { suggest } from "./suggest.ts";

const ask = (sentence: string, ...names: string[]): string[] => suggestedQuestions(sentence, new Set(names));

describe("questions of a sentence", () => {
  test.each([
    ["Rent for the new office: €2,450.00 per month from 1 Nov.", "How much is the rent for the new office?"],
    ["Next meeting: Wed 22 Oct, 14:30, room 2.06", "When is the next meeting?"],
    ["IP of the printer: 192.168.1.47", "What is the IP of the printer?"],
    ["Landlord's address: 14b Harbour Lane", "What is the landlord's address?"],
    ["Fire drill is at quarter to twelve on Friday", "When is the fire drill?"],
    ["The code of Project Beacon is AB-417.", "What is the code of Project Beacon?"],
    ["The Coastal Museum was founded in 1873.", "When was the Coastal Museum founded?"],
    ["The Coastal Museum is located in Ghent.", "Where is the Coastal Museum?"],
    ["Edwin Marsh was born in Porto.", "Where was Edwin Marsh born?"],
    ["Clara lives in Lisbon.", "Where does Clara live?"],
    ["Rosa is the sister of Walter.", "Who is Rosa?"],
    ["The school has 40 computers in the library.", "How many computers does the school have?"],
    ["The King took a long step, and quite thought he had the tail.", "Who took a long step?"],
    ["Lena orders 24 chairs (IKEA FLINTAN, article 604.336.92)", "Who orders 24 chairs?"],
    ["The water will be turned off on 28 October.", "When will the water be turned off?"],
    ["The gate was welded by Marek's nephew.", "Who welded the gate?"],
    ["The mower cost 640 pounds and runs on a battery.", "How much did the mower cost?"],
    ["The tank holds 900 litres.", "How much does the tank hold?"],
    ["The stone came by barge from a quarry at Rossmuir.", "Where did the stone come from?"],
    ["The fox lives under the hut of plot nine.", "Where does the fox live?"],
    ["The show takes place on the last Saturday of August.", "When does the show take place?"],
    ["Plot one belongs to Omar Rashid.", "Who does plot one belong to?"],
    ["The best layer is called Duchess.", "What is the best layer called?"],
    ["The Corran Viaduct is a railway viaduct of nineteen arches.", "What is the Corran Viaduct?"],
    ["The central tower is 46 metres high.", "How high is the central tower?"],
    ["The swimming pool closed on 4 May.", "When did the swimming pool close?"],
    ["Three keepers lived on the rock at any time.", "Where did the three keepers live?"],
    ["The old houses stand on a hill.", "Where do the old houses stand?"],
    ["Clara swept the sky for some 4,200 hours.", "Who swept the sky for some 4,200 hours?"],
    ["Hanna Weiss has taken over plot 17, who is new.", "Who has taken over plot 17?"],
  ])("%s", (sentence, question) => expect(ask(sentence)[0]).toBe(question));

  it("leave out what a table row is about", () => {
    expect(ask("Making leaf mould: who Hanna, when 18 Nov, 10:30, where compost bay")).toEqual([]);
    expect(ask("Building number: 14")).toEqual(["What is the building number?"]);
  });

  it("ask for what a label names only if that is an attribute, and for a time anywhere after it", () => {
    expect(ask("Flight home: from Trieste via Munich, 16 September 18:05.")).toEqual([
      "When is the flight home?",
    ]);
    expect(ask("Savica waterfall: 553 steps, bring coins for the car park")).toEqual([]);
    expect(ask("Caroline Wozniacki said: I put the bottle down", "Caroline")).toEqual([]);
    expect(ask("About the fair: it's on Saturday 26 April, doors open at 10:30.")).toEqual([]);
  });

  it("keeps the capital of a name that owns a thing", () =>
    expect(ask("Priya's parental leave: 12 January to 30 April", "Priya")).toEqual([
      "When is Priya's parental leave?",
    ]));

  test.each([
    "He gave it to her.",
    "The house was surrounded by trees.",
    "Action: Tom calls BT about the line, ref. VOL011-9923",
    "Painter 1: Hughes & Sons, £1,850 incl. VAT",
    "It was very quiet, and then it was not.",
    "The internal cavity forms: a mouth that can be closed by muscles.",
    "“Who are you?” asked the king.",
    "Kitchen: fridge 60 x 185 cm",
    "Date: Thursday 14 March 2024",
    "Parking is on the field.",
    "Tears flowed down the cheeks of the fawn.",
    "Data collected by the office in 2012 show it.",
    "The code of the north gate is changed on 1 April.",
    "Sometimes her spectacles are on the table.",
    "They came to the mill with Anna Weiss.",
    "Four hundred and twelve looms stood still under the gaslights.",
    "Sent: Monday 3 June",
  ])("none that would be ungrammatical: %s", (sentence) => expect(ask(sentence)).toEqual([]));
});

test("questions about things have the whole phrase at the end of a clause", () => {
  const things = questionsAboutThings(
    "Priya (18:31): She left it in the back room, by the door that sticks, at the same time.",
  );
  expect(things).toEqual(["What is there about the back room?"]);
});

/** The sentences of a text as a memory opened for questions, each its own anchor; only the router is used. */
function opened(text: string): { open: OpenMemory; said: Map<FactId, string> } {
  const documentId = "d" as DocumentId;
  const said = new Map<FactId, string>();
  const inputs = [...sentences(makeDocument("text", text))].map(({ text: value, start: offset }, i) => {
    const id = factId(documentId, offset);
    said.set(id, value);
    const fact = { id, documentId, anchor: `a${i}`, anchorOrder: i, index: 1, value, offset };
    return { fact, questions: [] };
  });
  const hashed = factHasher("salt");
  const vector = new Float32Array(0);
  const documents = grouped(inputs).map((one) => ({ ...one, facts: one.inputs.map(hashed), vector }));
  const facts = new Map([...said.keys()].map((id) => [id, []]));
  const open = {
    index: buildIndex(documents, ["salt"]),
    facts,
    params: SHARP,
    engine: { denseFloor: 1, readEach: async () => null },
  } as unknown as OpenMemory;
  return { open, said };
}

const unpacked = (path: string): string => gunzipSync(readFileSync(path)).toString();
const tales = unpacked("data/fairytaleqa/val.jsonl.gz")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as { name: string; sections: readonly (string | { text: string })[] });
const squad = JSON.parse(unpacked("data/squad/dev-v2.0.json.gz")) as {
  data: readonly { title: string; paragraphs: readonly { context: string }[] }[];
};
const NOTES = new Set(["notes of a household", "notes of a society", "a chat", "the sample"]);
const TEXTS: readonly (readonly [string, string])[] = [
  ["notes of a household", readFileSync("data/answers/notes.txt", "utf8")],
  ["notes of a society", readFileSync("tools/scripts/newcomer.txt", "utf8")],
  ["a chat", readFileSync("data/answers/texts/piano-chat.txt", "utf8")],
  ["the sample", readFileSync("public/samples/the-lamp-at-harrow-point.txt", "utf8")],
  ...tales
    .slice(0, 8)
    .map(
      ({ name, sections }) =>
        [name, sections.map((one) => (typeof one === "string" ? one : one.text)).join("\n\n")] as const,
    ),
  ...squad.data.slice(0, 8).map(
    ({ title, paragraphs }) =>
      [
        title,
        paragraphs
          .slice(0, 6)
          .map(({ context }) => context)
          .join("\n\n"),
      ] as const,
  ),
  ["Robinson Crusoe, a chapter", unpacked("data/novels/defoe_robinson_crusoe.txt.gz").slice(20_000, 40_000)],
];

describe("three questions of a text", () => {
  test.each(TEXTS)("%s", async (title, text) => {
    const { open, said } = opened(text);
    const questions = await suggest(open, said);
    // Long sentences of articles and tales fit few rules; none is better than one that nobody would ask.
    if (NOTES.has(title)) expect(questions).toHaveLength(3);
    expect(questions.length).toBeLessThanOrEqual(3);
    expect(new Set(questions).size).toBe(questions.length);
    const ids = [...said.keys()];
    const places: number[] = [];

    for (const question of questions) {
      expect(question).toMatch(/^(?:Who|What|When|Where|How (?:much|many)) .*\p{L}.*\?$/u);
      const [first] = (await routeQuestion(open, question)).facts;
      places.push(ids.indexOf(first!));
    }
    // In the order of the text, from different sentences.
    expect(places).toEqual([...new Set(places)].toSorted((a, b) => a - b));
  });

  it("asks about the names of a text whose sentences fit no rule, the most frequent first", async () => {
    const { open, said } = opened(
      `It is said that Kiruna sinks. Few in the UK know where Kiruna is, and in March nobody asks Mr Hale or the British. But Kiruna moves.
       We asked Hedda Lund why. Then, in March, Hedda Lund told the British and the UK in short.`,
    );
    const asked = ["Kiruna", "the UK", "Hedda Lund"];
    expect(frequentNames(said.values(), namesOf(said.values()))).toEqual(asked);
    const suggested = await suggest(open, said);
    expect(suggested.length).toBeGreaterThan(1);
    expect(asked.map((name) => `What is there about ${name}?`)).toEqual(expect.arrayContaining(suggested));
  });

  it("suggests nothing if no rule fits, and less for a text of one sentence", async () => {
    const none = opened("He gave it to her.");
    expect(await suggest(none.open, none.said)).toEqual([]);
    const one = opened("Clara lives in Lisbon.");
    expect(await suggest(one.open, one.said)).toEqual(["Where does Clara live?"]);
  });

  it("suggests no question of whose answer the reader is not sure", async () => {
    const { open, said } = opened(
      "The fee is 96 pounds. Clara lives in Lisbon. The gate was welded by Marek.",
    );
    expect(await suggest(open, said)).toContain("Where does Clara live?");
    const engine = {
      ...open.engine,
      reader: { level: 0.5, measured: "" },
      readEach: async (question: string) => [question.includes("Clara") ? 0.4 : 0.6],
    } as OpenMemory["engine"];
    const suggested = await suggest({ ...open, engine }, said);
    expect(suggested).not.toContain("Where does Clara live?");
    expect(suggested).toContain("Who welded the gate?");
  });
});
