import { expect, test } from "vitest";
import { sha256Hex } from "../lib/hash.ts";
import { alikeTo, meaningOf } from "./meaning.ts";

const SENTENCES = [
  "The crates are in the cellar.",
  "Marsh & Lyle charged £180 for their report.",
  "Bring a pencil, as ink is forbidden in there.",
  "The garden is open on Sundays.",
];
const alike = alikeTo(SENTENCES.map(meaningOf));
const best = (question: string): string => {
  const cosines = alike(question);
  return SENTENCES[cosines.indexOf(Math.max(...cosines))]!;
};

test.each([
  ["Where are the boxes?", SENTENCES[0]],
  ["What was the surveyors' fee?", SENTENCES[1]],
  ["What should I write with?", SENTENCES[2]],
  ["When may I visit the park?", SENTENCES[3]],
])("%s is near the sentence that answers in other words", (question, sentence) => {
  expect(best(question)).toBe(sentence);
});

test("a cosine is at most 1, and 0 for a text without a known word and for an invalid vector", () => {
  const whole = meaningOf("Who is it?");
  const others = [
    meaningOf("Qqzzx."),
    "AAAA",
    whole.replace("=", "*"),
    whole.slice(1), // as memories before editions have it
    whole.replace(/./, "1"),
    whole.replace(/(?<=^.)./, "="),
    "A".repeat(whole.length),
  ];
  const cosines = alikeTo([whole, ...others])("Who is it?");
  expect(cosines[0]).toBeGreaterThan(0);
  expect(cosines[0]).toBeLessThanOrEqual(1);
  expect([...cosines.subarray(1)]).toEqual(others.map(() => 0));
  expect([...alike("Qqzzx?")]).toEqual([0, 0, 0, 0]);
});

test("accents, capitals and numbers make no difference", () => {
  expect(meaningOf("CAFÉ at 12")).toBe(meaningOf("cafe at 7"));
});

test("another table of words has another edition", async () => {
  const { default: table } = await import("./meaning.json", { with: { type: "json" } });
  const known = sha256Hex(table.levels + table.scales + table.question).slice(0, 12);
  expect([table.edition, known]).toEqual(["3", "88f2b411ed12"]);
});
