import { describe, expect, test, vi } from "vitest";
import { Cancelled } from "../lib/assert.ts";
import type { Anchor } from "../records/fact.ts";
import { charOffset, type DocumentId } from "../records/ids.ts";
import { PAPER, SHARP } from "../records/params.ts";
import type { Candidate } from "../records/source.ts";
import { anchorKey } from "./anchorKey.ts";
import { assignAnchors } from "./anchors.ts";

/** Sharp, but for the model's proposals. */
const ASKING = { ...SHARP, anchors: "model" } as const;

const candidate = (text: string, i = 0): Candidate => ({
  sentence: {
    documentId: "d" as DocumentId,
    index: i,
    text,
    start: charOffset(i * 1000),
    end: charOffset(i * 1000 + text.length),
  },
  reasons: ["entity"],
});

async function collect(anchors: AsyncIterable<Anchor>): Promise<Anchor[]> {
  const all: Anchor[] = [];
  for await (const anchor of anchors) all.push(anchor);
  return all;
}

test("the model is asked in batches, and its valid proposals are used", async () => {
  const texts = ["Mary moved.", "The milk is in\nthe box.", "Fred gave it to Jeff."];
  const propose = vi.fn(async (batch: readonly string[]) =>
    batch
      .map(
        (text, i) => `${i + 1}. ${text.includes("milk") ? "box" : text.includes("Fred") ? "Sandra" : "mary"}`,
      )
      .join("\n"),
  );
  const anchors = await collect(assignAnchors(texts.map(candidate), { ...ASKING, anchorBatch: 2 }, propose));
  expect(propose.mock.calls.map(([batch]) => batch)).toEqual([
    ["Mary moved.", "The milk is in the box."],
    ["Fred gave it to Jeff."],
  ]);
  expect(anchors.map(({ text, source }) => [text, source])).toEqual([
    ["Mary", "model"],
    ["box", "model"],
    ["Fred", "rule"],
  ]);
  expect(anchors[2]!.rejected).toEqual({ proposal: "Sandra", why: expect.stringMatching(/not verbatim/) });
  expect("rejected" in anchors[0]!).toBe(false);
});

test("a declined proposal falls back and says so", async () => {
  const [anchor] = await collect(assignAnchors([candidate("Mary moved.")], ASKING, async () => ""));
  expect(anchor).toMatchObject({ text: "Mary", source: "rule", rejected: { proposal: "" } });
});

test("a generic head is widened to its compound, in sharp only", async () => {
  const candidates = [candidate("The Duchy of Normandy fell.")];
  const [sharp] = await collect(assignAnchors(candidates, ASKING, async () => "1. Duchy"));
  const [paper] = await collect(assignAnchors(candidates, PAPER, async () => "1. Duchy"));
  expect([sharp!.text, sharp!.source, paper!.text]).toEqual(["Duchy of Normandy", "model", "Duchy"]);
});

test("rule-only mode never calls the model", async () => {
  const propose = vi.fn(async () => "1. garden");
  const [anchor] = await collect(
    assignAnchors([candidate("Mary is in the garden.")], { ...ASKING, anchors: "rules" }, propose),
  );
  expect(propose).not.toHaveBeenCalled();
  expect(anchor).toEqual({ candidate: candidate("Mary is in the garden."), text: "Mary", source: "rule" });
});

test("reads no further ahead than one batch", async () => {
  let read = 0;
  const endless = function* (): Generator<Candidate> {
    for (;;) yield candidate("Mary moved.", read++);
  };
  const anchors = assignAnchors(endless(), { ...ASKING, anchorBatch: 3 }, async () => "1. Mary");
  await anchors.next();
  await anchors.next();
  expect(read).toBe(3);
  await anchors.return(undefined);
});

test("cancels between batches, and passes on what the model throws", async () => {
  await expect(
    collect(assignAnchors([candidate("Mary moved.")], ASKING, async () => "", AbortSignal.abort())),
  ).rejects.toThrow(Cancelled);
  const broken = async (): Promise<string> => Promise.reject(new Error("device lost"));
  await expect(collect(assignAnchors([candidate("Mary moved.")], ASKING, broken))).rejects.toThrow(
    "device lost",
  );
  await expect(collect(assignAnchors([candidate("Mary moved.")], ASKING, null))).rejects.toThrow(
    /no model to ask/,
  );
});

describe("anchorKey", () => {
  test.each([
    ["The  Duchy of\nNormandy", "duchy of normandy"],
    ["Mary’s", "mary"],
    ["Zoe\u0308", "zo\u00eb"],
    ["The", "the"],
    ["Theodore", "theodore"],
  ])("%j -> %j", (anchor, key) => {
    expect(anchorKey(anchor)).toBe(key);
  });
});
