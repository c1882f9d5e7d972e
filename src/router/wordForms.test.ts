import { expect, it } from "vitest";
import { nearWords } from "./nearWords.ts";
import { inFormsOf } from "./wordForms.ts";

const NOTES = [
  "Kettle Orla (product): maker Brandt & Sons, price £48.",
  "Tel: 01632 960 441",
  "Anne Lund is our seller in the north.",
  "Opening hrs: 8 to 16",
  "Owner: Lena Ross, since the 3rd of May",
];

it.each([
  ["Who makes the kettle?", "Who is the maker of the kettle?"],
  ["Who made the kettle?", "Who is the maker of the kettle?"],
  ["What is the phone number?", "What is the tel number?"],
  ["What are the opening hours?", "What are the opening hrs?"],
  ["Who will make the kettle?", "Who is the maker of the kettle?"],
  ["PHONE NUMBER", "tel NUMBER"],
  ["Who is Anne Lund?", "Who is Anne Lund?"],
  // Not in a label: the reader knows such sentences.
  ["Who sells in the north?", "Who sells in the north?"],
  ["Who owns up to the mistake?", "Who owns up to the mistake?"],
  ["In which road is it?", "In which road is it?"],
  ["Who drives the van?", "Who drives the van?"],
])("%s is read as %s", (question, read) => expect(inFormsOf(question, NOTES)).toBe(read));

it("leaves a word that the texts have", () => {
  const said = [...NOTES, "Brandt makes it by hand.", "His phone rang."];
  for (const question of ["Who makes the kettle?", "What is the phone number?"])
    expect(inFormsOf(question, said)).toBe(question);
});

it("finds the doer, the deed and the short form for a word that no fact has", () => {
  expect(nearWords("makes")).toContain("maker");
  expect(nearWords("edits")).toContain("editor");
  expect(nearWords("runs")).toContain("runner");
  expect(nearWords("buys")).toContain("buyer");
  expect(nearWords("freezer")).toContain("freeze");
  expect(nearWords("organiser")).toContain("organise");
  expect(nearWords("runners")).toContain("run");
  expect(nearWords("telephone")).toContain("tel");
});
