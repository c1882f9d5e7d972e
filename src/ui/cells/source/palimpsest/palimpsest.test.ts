import fc from "fast-check";
import { expect, test } from "vitest";
import { charOffset, documentId, factId, layerIndex } from "../../../../records/ids.ts";
import type { FactRow } from "../../../../records/notebook.ts";
import { strokes } from "./Palimpsest.tsx";
import { blankLines, factAt, leafAt, leavesOf, segmentsOf } from "./leaves.ts";

const doc = documentId("0123456789abcdef");
const WORDS = new Map<FactRow["id"], string>();
/** A fact that was read back. */
const row = (offset: number, value: string): FactRow => {
  const made = unread(offset);
  WORDS.set(made.id, value);
  return made;
};
const unread = (offset: number): FactRow => ({
  id: factId(doc, charOffset(offset)),
  documentId: doc,
  anchor: "Mary",
  index: 1,
  offset,
  layer: layerIndex(2),
  tokens: 5,
  digest: "",
  exact: true,
  fidelity: 1,
  steps: 12,
  deltaNorm: 1,
  margin: 1,
  memorizedAt: "2026-11-21T17:00:00.000Z",
});

/** Facts that do not overlap, in an order of their own, with the length of their text. */
const pages = fc
  .array(fc.tuple(fc.oneof(fc.constant(1), fc.nat(400), fc.nat(60_000)), fc.integer({ min: 1, max: 200 })), {
    maxLength: 80,
  })
  .chain((parts) => {
    let at = 0;
    const rows = parts.map(([gap, length]) => {
      const made = row(at + gap, "x".repeat(length));
      at += gap + length;
      return made;
    });
    return fc.record({
      rows: fc.shuffledSubarray(rows, { minLength: rows.length }),
      characters: fc.nat(3000).map((rest) => at + rest),
    });
  });

test("segments cover the text without overlap, and each fact stands at its offset", () =>
  fc.assert(
    fc.property(pages, ({ rows, characters }) => {
      const segments = segmentsOf(rows, characters, WORDS);
      let at = 0;
      for (const segment of segments) {
        expect(segment.start).toBe(at);
        at = segment.end;
        if (segment.kind === "recalled") expect(segment.start).toBe(segment.row.offset);
      }
      expect(at).toBe(characters);
      expect(segments.filter(({ kind }) => kind === "recalled")).toHaveLength(rows.length);
    }),
  ));

test("leaves hold every sentence once, in order, and stay small", () =>
  fc.assert(
    fc.property(pages, ({ rows, characters }) => {
      const leaves = leavesOf(segmentsOf(rows, characters, WORDS));
      const offsets = leaves.flatMap((leaf) =>
        leaf.kind === "flow" ? leaf.segments.flatMap((s) => (s.kind === "recalled" ? s.start : [])) : [],
      );
      expect(offsets).toEqual(rows.map(({ offset }) => offset).toSorted((a, b) => a - b));
      for (const leaf of leaves)
        if (leaf.kind === "flow")
          expect(leaf.segments.reduce((sum, { start, end }) => sum + end - start, 0)).toBeLessThan(41 * 621);
      expect(new Set(leaves.map(({ kind, key }) => `${kind}${key}`)).size).toBe(leaves.length);
    }),
  ));

test("sentences with a space between them flow on, and part where a blank line stood", () => {
  const sentence = "x".repeat(40);
  const page = (blankAfter: number | null) => {
    const rows = Array.from({ length: 18 }, (_, i) => {
      const line = blankAfter !== null && i > blankAfter ? 1 : 0;
      return row(i * 41 + line, sentence);
    });
    return leavesOf(segmentsOf(rows, rows.at(-1)!.offset + 40, WORDS)).map((leaf) =>
      leaf.kind === "flow" ? leaf.segments.filter(({ kind }) => kind === "recalled").length : 0,
    );
  };
  expect(page(null)).toEqual([18]);
  expect(page(14)).toEqual([15, 3]);
});

test("headings, items and rows begin on a new line, and reference marks leave no gap", () => {
  const lines = (text: string, facts: readonly string[]): string => {
    let at = 0;
    const rows = facts.map((fact) => row((at = text.indexOf(fact, at)), fact));
    return segmentsOf(rows, text.length, WORDS)
      .map((one) => (one.kind === "recalled" ? WORDS.get(one.row.id) : one.newLine ? "/" : "_"))
      .join("");
  };
  expect(
    lines("History\n\nIt began in 1867.[4] It cost £5.", ["History", "It began in 1867.", "It cost £5."]),
  ).toBe("History/It began in 1867._It cost £5.");
  expect(lines("He slept.\n\n2. Money\n\nWe paid.", ["He slept.", "Money", "We paid."])).toBe(
    "He slept./Money/We paid.",
  );
  expect(lines("Year 1913: 34.\n\nYear 1965: 6.", ["Year 1913: 34.", "Year 1965: 6."])).toBe(
    "Year 1913: 34./Year 1965: 6.",
  );
  expect(lines("Date: 7.30 p.m.\nPlace: the inn", ["Date: 7.30 p.m.", "Place: the inn"])).toBe(
    "Date: 7.30 p.m./Place: the inn",
  );
  // Two spaces between sentences part no paragraphs.
  expect(lines("He slept.  She ran.  They met.", ["He slept.", "She ran.", "They met."])).toBe(
    "He slept._She ran._They met.",
  );
  expect(lines("A cat sat. A dog ran.\n\nThey met.", ["A cat sat.", "A dog ran.", "They met."])).toBe(
    "A cat sat._A dog ran./They met.",
  );
});

test("leafAt finds the leaf with the sentence", () =>
  fc.assert(
    fc.property(pages, ({ rows, characters }) => {
      const leaves = leavesOf(segmentsOf(rows, characters, WORDS));
      for (const { offset } of rows) {
        const leaf = leaves[leafAt(leaves, offset)];
        const starts = leaf?.kind === "flow" ? leaf.segments.map(({ start }) => start) : [];
        expect(starts).toContain(offset);
      }
    }),
  ));

test("factAt finds the fact that begins at the offset, though the tokens before it seem to reach past it", () => {
  const [dishwasher, urn, lid] = [unread(1770), { ...unread(1781), tokens: 30 }, unread(1800)];
  const facts = [{ ...dishwasher, tokens: 30 }, urn, lid];
  expect(facts.map(({ offset }) => factAt(facts, offset))).toEqual(facts);
  expect(factAt([dishwasher, lid], urn.offset)).toBe(lid);
  expect(factAt(facts, 1801)).toBeUndefined();
});

test("facts that overlap, or reach past the end, are kept apart and inside", () => {
  const segments = segmentsOf([row(0, "abcdef"), row(3, "defghi"), row(8, "ijklmnop")], 12, WORDS);
  expect(segments.map(({ start, end }) => [start, end])).toEqual([
    [0, 6],
    [6, 9],
    [9, 12],
  ]);
});

test("a text of which nothing is kept is one gap", () => {
  expect(segmentsOf([], 100)).toEqual([{ kind: "gap", start: 0, end: 100 }]);
  expect(segmentsOf([], 0)).toEqual([]);
});

test("a sentence that is not read back takes the room of its tokens, up to the next", () => {
  const ends = (characters: number) =>
    segmentsOf([unread(0), unread(10), unread(60)], characters).map(({ kind, end }) => [kind, end]);
  // Five tokens are about 18 characters.
  expect(ends(70)).toEqual([
    ["recalled", 10],
    ["recalled", 28],
    ["gap", 60],
    ["recalled", 70],
  ]);
});

test("longer gaps never get fewer lines, and a book still only a few", () => {
  const lines = [100, 500, 5_000, 50_000, 10_000_000].map(blankLines);
  expect(lines).toEqual(lines.toSorted((a, b) => a - b));
  expect(lines.at(-1)).toBe(12);
});

test("strokes have the asked length, no letters that make words, and are the same every time", () =>
  fc.assert(
    fc.property(fc.nat(10_000_000), fc.nat(500), (seed, length) => {
      const text = strokes(seed, length);
      expect(text).toHaveLength(length);
      expect(text).toBe(strokes(seed, length));
      expect(text).toMatch(/^[rnvmjl ]*$/);
    }),
  ));

test("a sentence that was given other words takes the place of those that stood there", () => {
  const [first, second] = [row(0, "Mary saw Rome."), row(15, "She slept.")];
  const kinds = (words: ReadonlyMap<FactRow["id"], string>) =>
    segmentsOf([first, second], 25, words).map(({ kind, start, end }) => [kind, start, end]);
  const before = kinds(WORDS);
  const edited = new Map([...WORDS, [first.id, "Mary saw Ur."]]);
  expect(kinds(new Map([...edited, [first.id, "Mary saw Rome."]]))).toEqual(before);
  expect(kinds(edited)).not.toEqual(before);
});
