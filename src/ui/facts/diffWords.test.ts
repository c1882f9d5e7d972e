import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffWords, type DiffPart } from "./Recalled.tsx";

const spell = (parts: readonly DiffPart[], without: DiffPart["kind"]): string =>
  parts
    .filter(({ kind }) => kind !== without)
    .map(({ text }) => text)
    .join("");

describe("diffWords", () => {
  it("marks the words that differ", () =>
    expect(diffWords("Mary went to the garden.", "Mary went to the kitchen.")).toEqual([
      { kind: "same", text: "Mary went to the " },
      { kind: "stored", text: "garden" },
      { kind: "said", text: "kitchen" },
      { kind: "same", text: "." },
    ]));

  it("takes changed neighbours as one change", () =>
    expect(diffWords("the old pier fell", "the new dock fell")).toEqual([
      { kind: "same", text: "the " },
      { kind: "stored", text: "old pier" },
      { kind: "said", text: "new dock" },
      { kind: "same", text: " fell" },
    ]));

  it("says of equal texts that they are the same, and of nothing nothing", () => {
    expect(diffWords("a b", "a b")).toEqual([{ kind: "same", text: "a b" }]);
    expect(diffWords("", "")).toEqual([]);
    expect(diffWords("a", "")).toEqual([{ kind: "stored", text: "a" }]);
  });

  it("spells both texts, whatever they are", () => {
    const text = fc.array(fc.constantFrom("a", "b", "go", " ", "  ", ".", "\n", "é", "😀", "it's"), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(text, text, (left, right) => {
        const [stored, said] = [left.join(""), right.join("")];
        const parts = diffWords(stored, said);
        expect(spell(parts, "said")).toBe(stored);
        expect(spell(parts, "stored")).toBe(said);
        const kinds = parts.map(({ kind }) => kind);
        expect(kinds.every((kind, i) => kind !== kinds[i + 1])).toBe(true);
      }),
    );
  });

  it("shows texts of a book's length whole", () => {
    const long = "word ".repeat(2000);
    expect(diffWords(long, `${long}more`)).toEqual([
      { kind: "stored", text: long },
      { kind: "said", text: `${long}more` },
    ]);
  });
});
