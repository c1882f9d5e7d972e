import { describe, expect, test } from "vitest";
import { CANDIDATE_REASONS, reasonBit } from "../records/source.ts";
import { candidates } from "./candidates.ts";
import { markText } from "./marks.ts";
import { sentences } from "./sentences.ts";
import { makeDocument } from "./text.ts";

const document = makeDocument(
  "t",
  "CHAPTER I\n\nMary moved to Lisbon in 1904. Oh, come along then!\n\nThe office is north of the kitchen.",
);
const atOnce = (): Promise<void> => Promise.resolve();
const reasonsOf = (kinds: number) => CANDIDATE_REASONS.filter((reason) => kinds & reasonBit(reason));

describe("markText", () => {
  test.each(["strict", "wide"] as const)("%s: says what sentences and candidates say", async (filter) => {
    const { starts, ends, kinds } = await markText(document, filter, atOnce);
    const all = [...sentences(document)];
    const kept = new Map(
      [...candidates(all, filter)].map(({ sentence, reasons }) => [sentence.index, reasons]),
    );
    expect([...starts]).toEqual(all.map(({ start }) => start));
    expect([...ends]).toEqual(all.map(({ end }) => end));
    expect([...kinds].map(reasonsOf)).toEqual(all.map(({ index }) => kept.get(index) ?? []));
  });

  test("lets others have their turn, and says the same", async () => {
    const long = makeDocument("l", `${document.text}\n\n`.repeat(300));
    let turns = 0;
    const marks = await markText(long, "wide", () => {
      turns++;
      return atOnce();
    });
    expect(marks).toEqual(await markText(long, "wide", atOnce));
    expect(turns).toBe(Math.floor(marks.starts.length / 400));
  });

  test("the filters differ where the paper loses relations", async () => {
    const relation = [...sentences(document)].findIndex(({ text }) => text.startsWith("The office"));
    const reasons = async (filter: "strict" | "wide") =>
      reasonsOf((await markText(document, filter, atOnce)).kinds[relation]!);
    expect(await reasons("strict")).toEqual([]);
    expect(await reasons("wide")).toEqual(["relation"]);
  });

  test("many sentences, over several doublings", async () => {
    const text = Array.from({ length: 5000 }, (_, i) => `Number ${i} lives in room ${i}.`).join(" ");
    const marks = await markText(makeDocument("n", text), "strict", atOnce);
    expect(marks.starts.length).toBe(5000);
    expect(text.slice(marks.starts[4321], marks.ends[4321])).toBe("Number 4321 lives in room 4321.");
  });
});
