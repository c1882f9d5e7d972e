/** @file The real path through transformers.js, with tokenizers and ONNX models written here, and the method over it. */

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Cancelled } from "../lib/assert.ts";
import { blobModelFiles } from "../weights/modelFiles.ts";
import { nodeModelFiles } from "../../tools/node/nodeFile.ts";
import { KEPT, tinyCompressor } from "./testing/tinyCompressor.ts";
import { transformersCompressor } from "./transformersHelpers.ts";

let parent: string;
beforeAll(async () => {
  parent = await mkdtemp(path.join(tmpdir(), "compressor-"));
  await mkdir(path.join(parent, "tiny/onnx"), { recursive: true });
  for (const [file, bytes] of tinyCompressor()) await writeFile(path.join(parent, "tiny", file), bytes);
});
afterAll(() => rm(parent, { recursive: true }));

const files = (options: Parameters<typeof tinyCompressor>[0] = {}) =>
  blobModelFiles(
    "tiny",
    new Map(
      [...tinyCompressor(options)].map(([name, bytes]) => [
        name,
        new Blob([bytes as Uint8Array<ArrayBuffer>]),
      ]),
    ),
  );

it.each([false, true])(
  "says of each token how likely it is kept, alone and beside longer ones (pieces: %s)",
  async (pieces) => {
    const own = await transformersCompressor({ model: "tiny", files: files({ pieces }) });
    const tokens = own.tokens("Mary moved to the garden.");
    expect(tokens).toEqual(
      pieces
        ? ["▁mary", "▁moved", "▁to", "▁the", "▁gard", "en", "."]
        : ["mary", "moved", "to", "the", "gard", "##en", "."],
    );
    const long = own.tokens("John moved to the office. ".repeat(4));
    const rows = await own.keep([tokens, ...Array<string[]>(9).fill(long), ["."]]);
    expect(rows.map(({ length }) => length)).toEqual([7, ...Array<number>(9).fill(24), 1]);
    const words = ["mary", "moved", "to", "the", "gard", "##en", "."];
    for (const [i, word] of words.entries()) expect(rows[0]![i]).toBeCloseTo(KEPT[word]!, 6);
    expect(rows[10]![0]).toBeCloseTo(0.3, 6);
    expect(own.text(tokens)).toBe("mary moved to the garden.");
    expect(own.mark).toEqual(pieces ? { kind: "begins", text: "▁" } : { kind: "continues", text: "##" });
    await own.dispose();
  },
);

it("gives what its vocabulary lacks as unknown, and reads 511 tokens in its window of 512", async () => {
  const own = await transformersCompressor({ model: "tiny", files: files({ pieces: true }) });
  expect(own.tokens("Mary ☃").filter((token) => own.special.has(token))).toContain("[UNK]");
  const full = Array<string>(511).fill("▁mary");
  const [row] = await own.keep([full]);
  expect(row).toHaveLength(511);
  expect(row!.at(-1)).toBeCloseTo(0.9, 6);
  await own.dispose();
});

it("is known by its weights where its name is a folder's, and opens a folder on disk", async () => {
  const dropped = await transformersCompressor({ model: "tiny", files: files() });
  const onDisk = await transformersCompressor({
    model: "tiny",
    files: await nodeModelFiles(path.join(parent, "tiny")),
  });
  expect(dropped.name).toMatch(/^tiny #[0-9a-f]{16}$/);
  expect(onDisk.name).toBe(dropped.name);
  const other = await transformersCompressor({ model: "tiny", files: files({ pieces: true }) });
  expect(other.name).not.toBe(dropped.name);
  for (const one of [dropped, onDisk, other]) await one.dispose();
});

it("refuses other classifiers, tokenizers that mark no words, and a folder that is not there", async () => {
  const three = await transformersCompressor({ model: "tiny", files: files({ labels: 3 }) });
  await expect(three.keep([["mary"]])).rejects.toThrow(
    "gave 1 × 3 × 3 values for 1 runs of 3 tokens; expected two logits",
  );
  await three.dispose();
  await expect(transformersCompressor({ model: "tiny", files: files({ decoder: false }) })).rejects.toThrow(
    /the compressor tiny #[0-9a-f]{16} has a tokenizer whose decoder is "none"/,
  );
  await expect(transformersCompressor({ model: "none", localPath: parent })).rejects.toThrow(
    'the compressor "none" cannot be opened from',
  );
});

it("stops between two batches", async () => {
  const own = await transformersCompressor({ model: "tiny", files: files() });
  const stop = new AbortController();
  stop.abort();
  await expect(own.keep([["mary"]], stop.signal)).rejects.toThrow(Cancelled);
  await own.dispose();
});
