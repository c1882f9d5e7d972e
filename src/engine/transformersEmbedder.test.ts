/**
 * @file The real path through transformers.js: a folder with tokenizer and ONNX model, both written here, no network.
 * The model looks tokens up in a table, so every vector can be worked out by hand.
 */

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { env } from "@huggingface/transformers";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { Cancelled } from "../lib/assert.ts";
import { blobModelFiles } from "../weights/modelFiles.ts";
import { useOf, transformersEmbedder } from "./transformersFiles.ts";
import { TABLE, tinyEmbedder, WIDTH, WORDS } from "./testing/tinyEmbedder.ts";

let parent: string;
beforeAll(async () => {
  parent = await mkdtemp(path.join(tmpdir(), "embedder-"));
  for (const name of ["tiny", "tiny-bge-small-en", "tiny-e5-small"]) await writeModel(name, TABLE);
  await writeModel(
    "broken",
    TABLE.map(() => 1),
  );
  await writeModel("tiny-qwen3-embedding", TABLE, "left");
});
async function writeModel(name: string, table: Float32Array, padding?: "left"): Promise<void> {
  await mkdir(path.join(parent, name, "onnx"), { recursive: true });
  for (const [file, bytes] of tinyEmbedder(table, padding))
    await writeFile(path.join(parent, name, file), bytes);
}
afterAll(() => rm(parent, { recursive: true }));

const unit = (v: readonly number[]): number[] => v.map((x) => x / Math.hypot(...v));
const row = (word: string): number[] => [
  ...TABLE.slice(WORDS.indexOf(word) * WIDTH, (WORDS.indexOf(word) + 1) * WIDTH),
];
const sumOf = (words: readonly string[]): number[] =>
  Array.from({ length: WIDTH }, (_, i) => words.reduce((s, w) => s + row(w)[i]!, 0));
const near = (got: Float32Array | undefined, expected: readonly number[]): void =>
  expected.forEach((v, j) => expect(got![j]).toBeCloseTo(v, 5));

describe("transformersEmbedder", () => {
  it("gives the unit mean of a text's hidden states, alone and in a batch", async () => {
    const embedder = await transformersEmbedder({ model: "tiny", localPath: parent });
    expect(embedder.name).toBe("transformers.js tiny (mean)");
    const texts = ["Mary moved to the garden.", "garden", "the unknown"];
    const words = [["mary", "moved", "to", "the", "garden", "."], ["garden"], ["the", "[UNK]"]];
    const found = await embedder.embed(texts);
    for (const [i, got] of found.entries()) {
      near(got, unit(sumOf(words[i]!)));
      const [alone] = await embedder.embed([texts[i]!]);
      near(alone, [...got]);
    }
    expect(await embedder.embed([])).toEqual([]);
  });

  it("takes the last token's state of a model that is made for that, in a batch of several lengths too", async () => {
    const embedder = await transformersEmbedder({ model: "tiny-qwen3-embedding", localPath: parent });
    expect(embedder.name).toBe("transformers.js tiny-qwen3-embedding (last_token, prefixed)");
    const [long, short] = await embedder.embed(["Mary moved to the garden", "the garden"]);
    near(long, unit(sumOf(["mary", "moved", "to", "the", "garden", "garden"])));
    near(short, unit(sumOf(["the", "garden", "garden"])));
  });

  it("takes the first token's state of a model that is made for that, and its prefix for a question", async () => {
    const embedder = await transformersEmbedder({ model: "tiny-bge-small-en", localPath: parent });
    expect(embedder.name).toBe("transformers.js tiny-bge-small-en (cls, prefixed)");
    const [got] = await embedder.embed(["garden the"]);
    near(got, unit(sumOf(["garden", "garden", "the"])));
    // "Represent this sentence for …": its first word is unknown here, and "for" the only one that is not.
    near(await embedder.embedQuestion("garden the"), unit(sumOf(["for", "garden", "the"])));
  });

  it("knows how BGE, GTE and E5 are used, whoever converted them", () => {
    expect(useOf("Xenova/bge-small-en-v1.5")).toMatchObject({ pooling: "cls", passage: "", known: true });
    expect(useOf("Xenova/bge-m3")).toMatchObject({ pooling: "cls", query: "", known: true });
    expect(useOf("Xenova/multilingual-e5-small")).toMatchObject({
      pooling: "mean",
      query: "query: ",
      passage: "passage: ",
    });
    expect(useOf("Xenova/gte-small").pooling).toBe("mean");
    expect(useOf("onnx-community/gte-multilingual-base").pooling).toBe("cls");
    expect(useOf("onnx-community/Qwen3-Embedding-0.6B-ONNX")).toMatchObject({
      pooling: "last_token",
      query: "Instruct: Given a question, retrieve passages that answer it\nQuery:",
      passage: "",
    });
    expect(useOf("someone/else")).toEqual({ pooling: "mean", query: "", passage: "", known: false });
  });

  it("is calibrated on pairs that it tells apart", async () => {
    const { denseFloor } = await transformersEmbedder({ model: "tiny-e5-small", localPath: parent });
    expect(denseFloor).toBeGreaterThanOrEqual(0);
    expect(denseFloor).toBeLessThan(1);
  });

  it("refuses a model that is silently wrong", async () => {
    await expect(transformersEmbedder({ model: "broken", localPath: parent })).rejects.toThrow(
      /broken \(mean\) failed its self-test: 0 of 12 made questions were nearest to their answer.*fp32/,
    );
  });

  it("names a folder that is not there, and asks no network for it", async () => {
    await expect(transformersEmbedder({ model: "absent", localPath: parent })).rejects.toThrow(
      /engine: the embedding model "absent" cannot be opened from .*embedder-/,
    );
  });

  describe("of files that are given", () => {
    const given = (change: (files: Map<string, Uint8Array>) => void = () => undefined) => {
      const files = tinyEmbedder();
      change(files);
      const blobs = new Map([...files].map(([name, bytes]) => [name, new Blob([bytes.slice()])]));
      return blobModelFiles("a folder of mine", blobs);
    };
    const model = "a folder of mine";

    it("gives the very vectors of the folder on disk, and asks no network for what is not there", async () => {
      const fetched = vi.spyOn(env, "fetch").mockRejectedValue(new Error("no network"));
      const [ours, disk] = await Promise.all([
        transformersEmbedder({ model, files: given() }),
        transformersEmbedder({ model: "tiny", localPath: parent }),
      ]);
      expect(ours.name).toMatch(/^transformers\.js a folder of mine #[0-9a-f]{16} \(mean\)$/);
      expect(ours.denseFloor).toBe(disk.denseFloor);
      expect(await ours.embed(["Mary moved.", "garden"])).toEqual(
        await disk.embed(["Mary moved.", "garden"]),
      );
      expect(fetched).not.toHaveBeenCalled();
      fetched.mockRestore();
      await ours.dispose!();
    });

    it("says which weights are missing", async () => {
      const opening = transformersEmbedder({ model, files: given(), dtype: "q8" });
      await expect(opening).rejects.toThrow(
        /engine: the embedding model "a folder of mine" cannot be opened from its files \(q8\): .*model_quantized\.onnx/,
      );
    });

    it("stops between opening and trying", async () => {
      const stop = new AbortController();
      const opening = transformersEmbedder({
        model,
        files: given(),
        signal: stop.signal,
        onOpened: () => stop.abort(),
      });
      await expect(opening).rejects.toThrow(Cancelled);
    });
  });
});
