import { describe, expect, it } from "vitest";
import { laterIndex, lexicalIndex } from "./lexical.ts";

/** More texts than are indexed at a time. */
const texts = Array.from({ length: 2500 }, (_, i) => ({ text: `day ${i} of the ledger ${i % 7}` }));
const question = "What is in ledger 3 on day 2400?";

describe("an index made in the background", () => {
  it("ranks as one that is made at once, and lets other work go on meanwhile", async () => {
    const later = laterIndex(() => texts, ["text"]);
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    await later.prepare();
    clearInterval(timer);
    expect(turns).toBeGreaterThan(0);
    const expected = lexicalIndex(texts, ["text"]).rank(question, "bm25");
    expect(later.get().rank(question, "bm25")).toEqual(expected);
    expect([...expected][0]![0]).toBe(2400);
  });

  it("is made once, and a search before its end does not wait", async () => {
    let read = 0;
    const later = laterIndex(() => {
      read++;
      return texts;
    }, ["text"]);
    const both = [later.prepare(), later.prepare()];
    const early = later.get();
    await Promise.all(both);
    expect(later.get()).toBe(early);
    expect(read).toBe(2);
  });
});
