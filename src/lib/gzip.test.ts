import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { unpackedText } from "./gzip.ts";

const TEXT = "Mary went to the garden – and back.\n".repeat(400);
const tooLarge = () => "too large";
const bytesOf = (bytes: Uint8Array) => new Uint8Array(bytes);

it("text comes as it is, packed or not", async () => {
  expect(await unpackedText(bytesOf(gzipSync(TEXT)), 1e6, tooLarge)).toBe(TEXT);
  expect(await unpackedText(new TextEncoder().encode(TEXT), 1e6, tooLarge)).toBe(TEXT);
  expect(await unpackedText(new Uint8Array(), 1e6, tooLarge)).toBe("");
});

it("what unpacks to more than is wanted is refused, and what breaks off is", async () => {
  const packed = bytesOf(gzipSync(TEXT));
  await expect(unpackedText(packed, 1000, tooLarge)).rejects.toThrow("too large");
  await expect(unpackedText(packed.slice(0, 60), 1e6, tooLarge)).rejects.toThrow();
});
