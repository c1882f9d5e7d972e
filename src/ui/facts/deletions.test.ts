import { describe, expect, it } from "vitest";
import { documentId } from "../../records/ids.ts";
import { deletionChoices, factsInWords } from "./words.ts";
import { factRow } from "../cells/memory/testing/rows.ts";

const other = documentId("bbbbbbbbbbbbbbbb");
const [first, second, third, fourth] = [
  factRow({ offset: 1 }),
  factRow({ offset: 2, index: 2 }),
  factRow({ offset: 3, anchor: "Mary" }),
  factRow({ offset: 4, anchor: "Mary", index: 2, documentId: other }),
] as const;
const all = [first, second, third, fourth];
const choices = (...selected: (typeof first)[]) =>
  deletionChoices(selected, all, (id) => (id === other ? "Letters" : "The Lamp")).map(
    ({ label, ids }) => [label, ids.length] as const,
  );

describe("deletionChoices", () => {
  it("offers the facts, their anchor and their document", () => {
    expect(choices(first)).toEqual([
      ["Only this fact", 1],
      ["All 2 facts about Sandra", 2],
      ["All 3 facts from “The Lamp”", 3],
    ]);
  });

  it("takes anchors and documents together where there are several", () => {
    expect(choices(first, fourth).map(([label]) => label)).toEqual([
      "The 2 selected facts",
      "All 4 facts about 2 names",
    ]);
  });

  it("lists the same facts once", () => {
    expect(choices(first, second).map(([label]) => label)).toEqual([
      "The 2 selected facts",
      "All 3 facts from “The Lamp”",
    ]);
    expect(choices(fourth).map(([label]) => label)).toEqual(["Only this fact", "All 2 facts about Mary"]);
    expect(choices(...all)).toHaveLength(1);
  });

  it("calls one fact by its number and anchor", () => {
    expect(factsInWords([third])).toBe("Fact 1 about Mary");
    expect(factsInWords(all)).toBe("4 facts");
  });
});
