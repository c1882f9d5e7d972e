/** @file The rules of writing (CONTRIBUTING.md): documents, strings and comments avoid the phrases of tools/english.ts. */

import { describe, expect, it } from "vitest";
import { HABITS, habitsIn, hitsIn, proseFiles, proseOfCode, proseOfDocument } from "./english.ts";

describe("each habit", () => {
  it.each(HABITS.map((habit) => [habit.name, habit] as const))(
    "%s is found in its bad example alone",
    (_, { name, bad, good }) => {
      expect(habitsIn(bad).map(({ habit }) => habit.name)).toContain(name);
      expect(habitsIn(good)).toEqual([]);
    },
  );
});

describe("prose", () => {
  it("is taken from strings, templates, JSX and comments, without code", () => {
    const lines = [
      "/** One. */",
      'import "a b"; const a = "two words";',
      "const b = `x ${a} y`; // Three four",
    ];
    const text = [...lines, "// five", "const c = <p>six {a}</p>;"].join("\n");
    const found = proseOfCode("x.tsx", text).map(({ kind, text: words }) => `${kind}: ${words}`);
    expect(found.toSorted()).toEqual(["comment: Three four five", "string: two words", "string: x … y"]);
    expect(
      proseOfDocument("# Title\n\nSome `code` here.\n\n```\nlies\n```\n").map((one) => one.text),
    ).toEqual(["# Title", "Some `…` here."]);
  });
});

/** Its strings are lists of words. */
const WORD_LISTS = "src/ingest/candidates.ts";
/** Tests are read by their authors only. */
const TESTS = /\.test\.|\/testing\//;

describe("the texts of the project", () => {
  const files = proseFiles().filter((file) => !TESTS.test(file));

  it("have no such phrase", () => {
    expect(files.length).toBeGreaterThan(500);
    const hits = files.flatMap(hitsIn).filter(({ kind, file }) => kind !== "string" || file !== WORD_LISTS);
    expect(hits.map(({ file, line, habit, text }) => `${file}:${line} [${habit.name}] ${text}`)).toEqual([]);
  });
});
