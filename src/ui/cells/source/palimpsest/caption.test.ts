import { expect, test } from "vitest";
import { factRow } from "../../memory/testing/rows.ts";
import { captionOf } from "./Palimpsest.tsx";

const exact = factRow();
const off = factRow({ exact: false });

test("the caption of a forgotten text says that no sentence is stored, and what the model recalls", () => {
  expect(captionOf([exact, off], 1000, false)).toBe(
    "The text was deleted, and no sentence is stored. Below is what the model recalls from vectors: " +
      "2 sentences at their places among 1,000 characters, 1 of them word for word.",
  );
  expect(captionOf([exact, exact], 1000, true)).toContain(
    "Below is what the model recalled in the saved run from vectors: 2 sentences",
  );
  expect(captionOf([exact, exact], 1000, false)).toContain("each of them word for word");
  expect(captionOf([exact], 1, false)).toContain("1 sentence at their places among 1 character");
  expect(captionOf([off, off], 1000, false)).toContain("none of them word for word");
});

test("of a memory without a sentence of the text it says that", () => {
  expect(captionOf([], 1000, false)).toBe(
    "The text is not stored in this browser, and the memory has no sentence of its 1,000 characters.",
  );
});

test("it says how many sentences are not the text's any more", () => {
  expect(captionOf([exact, off], 1000, false)).not.toContain("edited");
  const one = new Map([[exact.id, "Mary went away."]]);
  expect(captionOf([exact, off], 1000, false, one)).toContain(
    "1 of them was edited and differs from the text.",
  );
});
