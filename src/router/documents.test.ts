import { expect, test, vi } from "vitest";
import { Cancelled } from "../lib/assert.ts";
import { formOf } from "../lib/vectorForms.ts";
import type { Fact } from "../records/fact.ts";
import { charOffset, factId, type DocumentId, type FactId } from "../records/ids.ts";
import { PAPER, SHARP as PRESET } from "../records/params.ts";
import {
  anchorText,
  buildRouting,
  EMBED_BATCH,
  forgetFacts,
  grouped,
  type Embed,
  type TextsOf,
} from "./documents.ts";
import { route } from "./route.ts";
import { buildIndex } from "./routerIndex.ts";
import { termHasher } from "./termHashes.ts";
import { conceptEmbed } from "./testing/concepts.ts";

const SHARP = { ...PRESET, factVectors: true };

const input = (
  i: number,
  anchor: string,
  anchorOrder: number,
  index: number,
  value: string,
): { fact: Fact; questions: string[] } => {
  const documentId = "d" as DocumentId;
  const offset = charOffset(i);
  const fact = {
    id: factId(documentId, offset),
    documentId,
    anchor,
    anchorOrder,
    index,
    value,
    offset,
  };
  return { fact, questions: [`Who said zq${i}?`] };
};

const INPUTS = [
  input(0, "Mary", 0, 1, "Mary got the milk at qqzero."),
  input(1, "John", 1, 1, "John went to the garden at qqone."),
  input(2, "Mary", 0, 2, "Mary left the football at qqtwo."),
];

/** The texts of anchors with the facts that a document still has. */
const textsOf: TextsOf = async (documents) =>
  documents.map(({ anchor, facts }) => {
    const left = new Set(facts.map(({ id }) => id));
    return anchorText({ anchor, inputs: INPUTS.filter(({ fact }) => left.has(fact.id)) });
  });

test("one document per anchor in extraction order, unit vectors, fact vectors in sharp only", async () => {
  const sharp = await buildRouting(INPUTS, "salt", SHARP, conceptEmbed);
  expect(sharp.map(({ anchor, facts }) => [anchor, facts.map(({ index }) => index)])).toEqual([
    ["Mary", [1, 2]],
    ["John", [1]],
  ]);
  const norm = (vector: Float32Array | undefined): number => Math.hypot(...(vector ?? []));
  for (const { vector, facts } of sharp) {
    for (const each of [vector, ...facts.map((fact) => fact.vector)]) expect(norm(each)).toBeCloseTo(1, 3);
  }
  const paper = await buildRouting(INPUTS, "salt", PAPER, conceptEmbed);
  for (const { vector } of paper) expect(norm(vector)).toBeCloseTo(1, 5);
  expect([sharp, paper].map(([first]) => formOf(first!.vector))).toEqual(["levels", "float32"]);
  expect(paper.flatMap(({ facts }) => facts.map((fact) => "vector" in fact))).toEqual([false, false, false]);
});

test("the text of an anchor holds anchor, values and questions, the latest value first", async () => {
  const [mary] = grouped(INPUTS);
  expect(anchorText(mary!).split("\n")).toEqual([
    "Mary",
    "Mary left the football at qqtwo.",
    "Mary got the milk at qqzero.",
    "Who said zq0?",
    "Who said zq2?",
  ]);
});

test("no word of a value or a question is kept", async () => {
  for (const params of [PAPER, SHARP]) {
    const made = JSON.stringify(await buildRouting(INPUTS, "salt", params, conceptEmbed));
    // The vector of a sentence in base64 has any letters.
    const kept = made.replaceAll(/:[\w+/=]{150,}(?=")/g, "");
    expect(kept === made).toBe(params === PAPER);
    expect(kept).not.toMatch(/milk|garden|football|qqzero|zq|Who/);
  }
});

test("embeds in batches, checks the count, stops when cancelled", async () => {
  const many = Array.from({ length: EMBED_BATCH + 3 }, (_, i) => input(i, `N${i}`, i, 1, `N${i} left.`));
  const embed = vi.fn(conceptEmbed);
  await buildRouting(many, "salt", PAPER, embed);
  expect(embed.mock.calls.map(([texts]) => texts.length)).toEqual([EMBED_BATCH, 3]);
  const short: Embed = async () => [];
  await expect(buildRouting(INPUTS, "salt", PAPER, short)).rejects.toThrow(/gave 0 vectors for 2 texts/);
  await expect(buildRouting(INPUTS, "salt", PAPER, conceptEmbed, AbortSignal.abort())).rejects.toThrow(
    Cancelled,
  );
  const broken: Embed = async (texts) => texts.map(() => new Float32Array([Number.NaN]));
  await expect(buildRouting(INPUTS, "salt", PAPER, broken)).rejects.toThrow(/NaN/);
});

test("forgetting a fact leaves no trace of it and touches no other document", async () => {
  const before = await buildRouting(INPUTS, "salt", SHARP, conceptEmbed);
  const gone = new Set<FactId>([INPUTS[2]!.fact.id]);
  const after = await forgetFacts(before, gone, SHARP, conceptEmbed, textsOf);
  const hasher = termHasher("salt");
  for (const word of ["qqtwo", "zq2", "football"]) {
    expect(JSON.stringify(before)).toContain(hasher(word));
    expect(JSON.stringify(after)).not.toContain(hasher(word));
  }
  expect(after[1]).toBe(before[1]);
  expect(before[0]!.facts).toHaveLength(2);

  // The anchor's vector is that of a memory that never had the fact.
  const never = await buildRouting([INPUTS[0]!, INPUTS[1]!], "salt", SHARP, conceptEmbed);
  expect(after).toEqual(never);

  const index = buildIndex(after, ["salt"]);
  for (const word of ["qqtwo", "zq2", "football"])
    expect(route(word, null, index, SHARP).anchors).toEqual([]);
  expect(route("qqzero", null, index, SHARP).facts[0]).toEqual(INPUTS[0]!.fact.id);
});

test("an anchor without facts goes whole; forgetting nothing changes nothing", async () => {
  const before = await buildRouting(INPUTS, "salt", SHARP, conceptEmbed);
  const embed = vi.fn(conceptEmbed);
  const after = await forgetFacts(before, new Set([INPUTS[1]!.fact.id]), SHARP, embed, textsOf);
  expect(after).toEqual([before[0]]);
  expect(await forgetFacts(before, new Set(), SHARP, embed, textsOf)).toEqual(before);
  expect(embed).not.toHaveBeenCalled();
});
