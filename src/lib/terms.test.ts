import { describe, expect, test } from "vitest";
import { contentTerms, indexTerms, indexWords, mentionTerms, plainTerms, questionTerms } from "./terms.ts";
import { tokens } from "./tokens.ts";

describe("terms", () => {
  test.each([
    ["the", []],
    ["milk", ["milk", "~milk"]],
    ["zoë", ["zoe", "~zoe"]],
    ["ab-123", ["ab-123", "ab", "123"]],
    ["user@host.org", ["user@host.org", "user", "host", "org"]],
  ])("%s -> %j", (word, expected) => {
    expect(contentTerms(word)).toEqual(expected);
  });

  const indexed = (text: string) => indexWords(text).flatMap(indexTerms);

  test("a text is indexed by all its words, a question by what it is weighted for", () => {
    expect(indexed("The milk, Zoë’s")).toEqual(["the", "milk", "~milk", "zoe", "~zoe"]);
    expect(questionTerms("Where is the milk?")).toEqual(["milk", "~milk"]);
    expect(plainTerms("Where is the milk?")).toEqual(["where", "is", "the", "milk"]);
  });

  test("a question of stop words alone is looked up by them", () => {
    expect(questionTerms("Where is it?")).toEqual(["where", "is", "it"]);
    expect(questionTerms("Who met May?")).toEqual(["met", "~meet", "^may"]);
  });

  test("a small word mentions an anchor if it is written as a name, and opens no line", () => {
    const mentions = (text: string) => mentionTerms(["may"]).every((term) => indexed(text).includes(term));
    expect(["He met May.", "He may go.", "May he go?", "He can.\nMay he?"].map(mentions)).toEqual([
      true,
      false,
      false,
      false,
    ]);
    expect(mentionTerms(["duchy", "of", "normandy"])).toEqual(["duchy", "of", "normandy"]);
  });

  test.each([
    ["moved moves move moving"],
    ["travelled travels travel travelling traveled"],
    ["called calls call calling"],
    ["carries carry carried"],
    ["dropped drop drops"],
    ["passed passes pass"],
  ])("one stem: %s", (line) => {
    expect(new Set(line.split(" ").map((word) => contentTerms(word)[1])).size).toBe(1);
  });

  test("tokens keep codes whole and drop possessives", () => {
    expect(tokens("Mary's AB-123, O’Brien, the boys' milk.").map(({ word }) => word)).toEqual([
      "mary",
      "ab-123",
      "o'brien",
      "the",
      "boys",
      "milk",
    ]);
  });
});

test.each([
  ["the vowels of Hindi", "दिन दान दीन", ["दिन", "दान", "दीन"]],
  ["the marks of Thai", "สวัสดีครับ", ["สวัสดี", "ครับ"]],
  ["Chinese words without spaces", "北京大学在哪里", ["北京", "大学", "在", "哪里"]],
  ["a ligature", "the ﬁnal oﬃce", ["final", "office"]],
  ["full-width letters and digits", "ＡＢ１２", ["ab12"]],
  ["accents of Latin, Greek and Cyrillic", "Łódź café Αθήνα ёлка", ["łodz", "cafe", "αθηνα", "елка"]],
])("terms have %s", (_, text, expected) => {
  const found = tokens(text).flatMap(({ word }) =>
    contentTerms(word).filter((term) => !term.startsWith("~")),
  );
  expect(found).toEqual(expected);
});

test.each([
  ["struck", "strike"],
  ["died", "die"],
  ["dying", "dies"],
  ["cried", "cries"],
  ["brought", "bringing"],
])("%s and %s share a stem", (a, b) => {
  expect(contentTerms(a)[1]).toBe(contentTerms(b)[1]);
});
