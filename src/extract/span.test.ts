import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { candidates } from "../ingest/candidates.ts";
import { sentences } from "../ingest/sentences.ts";
import { babi, book } from "../ingest/testing/data.ts";
import type { DocumentId } from "../records/ids.ts";
import { MAX_WORDS, nameAround, ruleAnchor } from "./span.ts";

const compound = (sentence: string): string => ruleAnchor(sentence, { compound: true });

describe("the deterministic span", () => {
  test.each([
    ["Mary moved to the garden.", "Mary"],
    ["Mary moved to New York City.", "Mary"],
    ["Fred gave the football to Jeff.", "Fred"],
    ["Mary's badge is AB-123.", "Mary"],
    ["The office is north of the kitchen.", "office"],
    ["The milk is in the box.", "milk"],
    ["The access code is AB-123.", "access code"],
    ["The key to the old house is lost.", "key"],
    ["The decanter almost always stood there.", "decanter"],
    ["There is a letter in the old desk.", "letter"],
    ["The code of Project Falcon is 12-34.", "Project Falcon"],
    ["The Royal Institute was founded in 1902.", "Royal Institute"],
    ["Yesterday Mary Smith went home.", "Mary Smith"],
    ["Emily went to the garden.", "Emily"],
    ["Emily's apple is red.", "Emily"],
    ["Suddenly Mary left.", "Mary"],
    ["Suddenly Lord\nHenry laughed.", "Lord\nHenry"],
    ["“Oh!” said Lady Catherine de Bourgh.", "Lady Catherine de Bourgh"],
    ["He met Mr. Elton in St. Petersburg.", "St. Petersburg"],
    ["In 911 Rollo received the Duchy of Normandy.", "Duchy of Normandy"],
    ["Enoch J. Drebber came from Cleveland.", "Enoch J. Drebber"],
    ["Dear Mrs. Weston! always my kindest friend.", "Weston"],
    ["Noticing that, I saw how warm the laboratory was.", "laboratory"],
    ["it was sent as BA117 yesterday", "BA117"],
    ["Four people came to the party.", "party"],
    ["The Four Seasons opened in May.", "Four Seasons"],
    ["Best regards,\nAnna", "Anna"],
    ["Family room: beds 4, price £72", "Family"],
    ["The bread and in the end was gone.", "bread"],
    ["?!", "?!"],
    ["🙂", "🙂"],
  ])("%s -> %s", (sentence, anchor) => {
    expect(compound(sentence)).toBe(anchor);
  });

  test("without compound anchors a name stops before its connector", () => {
    expect(ruleAnchor("The Duchy of Normandy was rich.", { compound: false })).toBe("Duchy");
    expect(compound("The Duchy of Normandy was rich.")).toBe("Duchy of Normandy");
    expect(ruleAnchor("The access code is 1234.", { compound: false })).toBe("code");
  });

  test("a name before 100,000 connectors is found", () => {
    expect(compound(`Anna${" of".repeat(100_000)}`)).toBe("Anna");
  });

  test("is always a verbatim, short, non-empty part of the sentence", () => {
    const word = fc.constantFrom(
      "The",
      "Mary",
      "of",
      "Duchy",
      "'s",
      "-",
      "is",
      "AB-1",
      "É",
      "I",
      "\n",
      "Mr.",
      "🙂",
      "1",
      "the",
    );
    const sentence = fc.oneof(
      fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => words.join(" ")),
      fc.string({ unit: "binary", minLength: 1, maxLength: 30 }),
    );
    fc.assert(
      fc.property(sentence, fc.boolean(), (text, joined) => {
        const anchor = ruleAnchor(text, { compound: joined });
        return (
          anchor !== "" &&
          text.includes(anchor) &&
          anchor.trim().split(/\s+/).length <= Math.max(MAX_WORDS, 20)
        );
      }),
      { numRuns: 500, seed: 3 },
    );
  });

  test("the name around a word, for widening", () => {
    const sentence = "He ruled the Duchy of Normandy.";
    expect(nameAround(sentence, sentence.indexOf("Duchy"), sentence.indexOf("Duchy") + 5)).toBe(
      "Duchy of Normandy",
    );
    expect(nameAround(sentence, 3, 8)).toBeNull();
  });
});

describe("real text", () => {
  test.each(["qa1", "qa2", "qa3", "qa5"])(
    "bAbI %s: the anchor is the person that opens the sentence",
    (task) => {
      for (const { facts } of babi(task))
        for (const fact of facts) expect(compound(fact)).toBe(fact.split(" ")[0]);
    },
  );

  test("bAbI qa4: the anchor is the place that the sentence is about", () => {
    for (const { facts } of babi("qa4"))
      for (const fact of facts) expect(compound(fact)).toBe(fact.split(" ")[1]);
  });

  test("a novel's leading anchors are its people", () => {
    const text = book("austen_emma");
    const counts = new Map<string, number>();
    for (const { sentence } of candidates(sentences({ id: "d" as DocumentId, title: "t", text }), "strict")) {
      const anchor = compound(sentence.text);
      expect(sentence.text).toContain(anchor);
      counts.set(anchor, (counts.get(anchor) ?? 0) + 1);
    }
    const leading = [...counts].toSorted((a, b) => b[1] - a[1]).slice(0, 5);
    const people = [
      "Elton",
      "Emma",
      "Frank Churchill",
      "Harriet",
      "Jane",
      "Knightley",
      "Weston",
      "Woodhouse",
    ];
    expect(people).toEqual(expect.arrayContaining(leading.map(([anchor]) => anchor)));
  });
});
