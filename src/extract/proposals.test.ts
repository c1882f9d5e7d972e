import { describe, expect, test } from "vitest";
import { acceptProposal, parseProposals } from "./anchors.ts";

describe("parseProposals", () => {
  test.each([
    ["plain", "1. Sandra\n2. office", 2, ["Sandra", "office"]],
    [
      "other marks, prose and gaps",
      'Sure:\n1) Sandra\n\n- 3: "Duchy of Normandy"\n',
      3,
      ["Sandra", null, "Duchy of Normandy"],
    ],
    ["the first of a number counts", "1. Sandra\n1. Mary\n7. Fred\n0. Bill", 2, ["Sandra", null]],
    ["an empty line declines", "1. \n2. Mary", 2, [null, "Mary"]],
    ["no numbers, one line each", "Sandra\nMary", 2, ["Sandra", "Mary"]],
    ["no numbers, lines do not match", "Sandra", 2, [null, null]],
    ["nothing", "", 2, [null, null]],
    ["a name that ends in a dot keeps it", "1. Acme Inc.", 1, ["Acme Inc."]],
  ] as const)("%s", (_, reply, count, expected) => {
    expect(parseProposals(reply, count)).toEqual(expected);
  });
});

describe("acceptProposal", () => {
  const sentence = "The Duchy\nof Normandy passed to Mary’s brother.";

  test.each([
    ["Duchy of Normandy", "Duchy\nof Normandy"],
    ["the duchy of normandy", "Duchy\nof Normandy"],
    ["Mary's", "Mary"],
    ["mary.", "Mary"],
    ["brother", "brother"],
  ])("accepts %j as %j, the spelling of the sentence", (proposal, text) => {
    expect(acceptProposal(sentence, proposal)).toEqual({ ok: true, text, start: sentence.indexOf(text) });
  });

  test.each([
    [null, /declined/],
    ["none", /declined/],
    ["...", /declined/],
    ["Sandra", /not verbatim/],
    ["rot", /not verbatim/],
    ["Duchy of Normandy passed to Mary’s", /too long: 6 words/],
    ["x".repeat(61), /too long: 61 characters/],
    ["the of", /stop words/],
    ["She", /pronoun/],
    ["(", /declined/],
    ["Mary(", /^$/],
  ])("judges %j", (proposal, why) => {
    const judgement = acceptProposal(sentence, proposal);
    expect(judgement.ok ? "" : judgement.why).toMatch(why);
  });

  test("an exact spelling wins over an earlier one of another case", () => {
    expect(acceptProposal("may is when May left", "May")).toEqual({ ok: true, text: "May", start: 12 });
  });
});
