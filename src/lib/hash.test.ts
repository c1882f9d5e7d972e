import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createSha256, sha256Hex } from "./hash.ts";

const judge = (data: Uint8Array | string): string => createHash("sha256").update(data).digest("hex");

test("gives the published digests of the empty text and of abc", () => {
  expect(sha256Hex("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  expect(sha256Hex("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});

test("agrees with node:crypto for every length around the block size", () => {
  for (let length = 0; length <= 200; length++) {
    const bytes = Uint8Array.from({ length }, (_, i) => i * 7 + length);
    expect(sha256Hex(bytes)).toBe(judge(bytes));
  }
});

test("agrees with node:crypto however the bytes are cut into updates", () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 150 }), { maxLength: 8 });
  fc.assert(
    fc.property(pieces, (list) => {
      const hasher = createSha256();
      for (const piece of list) hasher.update(piece);
      expect(hasher.hex()).toBe(judge(Buffer.concat(list)));
    }),
    { seed: 1 },
  );
});

test("agrees with node:crypto on text outside ASCII", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      expect(sha256Hex(text)).toBe(judge(text));
    }),
    { seed: 2 },
  );
});

test("copies what it is given, so that the caller may reuse the array", () => {
  const bytes = Uint8Array.of(1, 2, 3);
  const hasher = createSha256();
  hasher.update(bytes);
  bytes.fill(9);
  expect(hasher.hex()).toBe(judge(Uint8Array.of(1, 2, 3)));
});

test("refuses to go on after the end", () => {
  const hasher = createSha256();
  hasher.hex();
  expect(() => hasher.hex()).toThrow(/destroyed/);
  expect(() => hasher.update(Uint8Array.of(1))).toThrow(/destroyed/);
});
