import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { candidates } from "./candidates.ts";
import { countCandidates, markAt, marksIn, markText, markTextInTurns, transferOf } from "./marks.ts";
import { sentences } from "./sentences.ts";
import { makeDocument } from "./text.ts";

const document = makeDocument(
  "t",
  "CHAPTER I\n\nMary moved to Lisbon in 1904. Oh, come along then!\n\nThe office is north of the kitchen.",
);

describe("markText", () => {
  test.each(["strict", "wide"] as const)("%s: says what sentences and candidates say", (filter) => {
    const marks = markText(document, filter);
    const all = [...sentences(document)];
    const kept = new Map(
      [...candidates(all, filter)].map(({ sentence, reasons }) => [sentence.index, reasons]),
    );
    expect(marksIn(marks, 0, document.text.length)).toEqual(
      all.map(({ index, start, end }) => ({ index, start, end, reasons: kept.get(index) ?? [] })),
    );
    expect(countCandidates(marks)).toBe(kept.size);
  });

  test("in turns it says the same, and lets others have their turn", async () => {
    const long = makeDocument("l", `${document.text}\n\n`.repeat(300));
    let turns = 0;
    const marks = await markTextInTurns(long, "wide", () => {
      turns++;
      return Promise.resolve();
    });
    expect(marks).toEqual(markText(long, "wide"));
    expect(turns).toBe(Math.floor(marks.starts.length / 400));
  });

  test("the filters differ where the paper loses relations", () => {
    const relation = document.text.indexOf("The office");
    expect(markAt(markText(document, "strict"), relation)?.reasons).toEqual([]);
    expect(markAt(markText(document, "wide"), relation)?.reasons).toEqual(["relation"]);
  });

  test("many sentences, over several doublings", () => {
    const text = Array.from({ length: 5000 }, (_, i) => `Number ${i} lives in room ${i}.`).join(" ");
    const marks = markText(makeDocument("n", text), "strict");
    expect(marks.starts.length).toBe(5000);
    expect(text.slice(marks.starts[4321], marks.ends[4321])).toBe("Number 4321 lives in room 4321.");
  });

  test("survives a hand-over, which empties the original", () => {
    const marks = markText(document, "wide");
    const wanted = marksIn(marks, 0, 99);
    const moved = structuredClone(marks, { transfer: transferOf(marks) });
    expect(marksIn(moved, 0, 99)).toEqual(wanted);
    expect(marks.starts.length).toBe(0);
  });
});

test("marksIn finds exactly the sentences that overlap a range", () => {
  const words = fc.constantFrom("Mary went home. ", "It rained! ", "\n\n", "the end of 12 days ", "Why? ");
  fc.assert(
    fc.property(
      fc.array(words, { minLength: 1, maxLength: 30 }),
      fc.nat(300),
      fc.nat(80),
      (parts, from, length) => {
        const text = `${parts.join("")}x`;
        const made = makeDocument("p", text);
        const overlapping = [...sentences(made)].filter(
          ({ start, end }) => start < from + length && end > from,
        );
        const found = marksIn(markText(made, "wide"), from, from + length);
        expect(found.map(({ index }) => index)).toEqual(overlapping.map(({ index }) => index));
      },
    ),
  );
});
