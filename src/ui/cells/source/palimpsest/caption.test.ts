import { expect, test } from "vitest";
import { factRow } from "../../memory/testing/rows.ts";
import { captionOf } from "./Palimpsest.tsx";

const exact = factRow({ value: "Mary moved to the garden." });
const off = factRow({ value: "John slept.", exact: false, recalled: "John swept." });

test("the caption of a forgotten text says what is kept of it in words, and where", () => {
  const said = captionOf([exact, off], 1000, false);
  expect(said).toContain("Of its 1,000 characters the routing index stores 36 as words, 2 sentences");
  expect(said).toContain("the model recalls 1 of them word for word");
  expect(captionOf([exact, exact], 1000, true)).toContain(
    "in the saved run the model recalled each of them word for word",
  );
  expect(captionOf([exact], 1, false)).toContain("Of its 1 character the routing index stores");
  expect(captionOf([exact], 1, false)).toContain("1 sentence; the model recalls it word for word");
  expect(captionOf([off], 1000, false)).toContain("1 sentence; the model recalls it, but not word for word");
  expect(captionOf([off, off], 1000, false)).toContain("the model recalls none of them word for word");
});

test("it claims that nothing is kept only where nothing is", () => {
  expect(captionOf([], 1000, false)).toBe(
    "The text is not stored in this browser, and the memory has no sentence of its 1,000 characters.",
  );
  const wordless = captionOf([{ ...exact, value: null }], 1000, false);
  expect(wordless).toContain("none of its words are stored");
});

test("it says how many sentences are not the text's any more", () => {
  expect(captionOf([exact, off], 1000, false)).not.toContain("by hand");
  const one = new Map([[exact.id, "Mary went away."]]);
  expect(captionOf([exact, off], 1000, false, one)).toContain(
    "1 of them was edited and differs from the text.",
  );
});
