/** @file Archives from elsewhere: each is refused whole, and what is stored stays as it is. */

import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import { THOROUGH } from "../lib/testing/thorough.ts";
import { attacks, refused } from "../lib/testing/attacks.ts";
import { writeZip } from "../lib/zip.ts";
import { importMemory, inspectArchive } from "./archive.ts";
import { inMemoryStore } from "./inMemory.ts";
import { archiveOf, changedArchive, filesOf, packed } from "./testing/archives.ts";
import { bitsOf, digestFor, makeMemory, upTo } from "./testing/memory.ts";

const STORED = makeMemory(upTo(12));
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
type Bytes = Uint8Array | Promise<Uint8Array>;

/** Neither checked, nor merged, nor put in the place of the 12 facts that are stored. */
async function notImported(bytes: Bytes, message: RegExp): Promise<{ facts: number; lost: number }> {
  const archive = await bytes;
  await refused(inspectArchive(archive, "m.zip"), message);
  let lost = 0;
  for (const mode of ["replace", "merge"] as const) {
    const store = inMemoryStore();
    await store.save(STORED);
    await refused(importMemory(store, archive, { name: "m.zip", mode }), message);
    const left = await store.load();
    if (!isDeepStrictEqual(bitsOf(left), bitsOf(STORED))) lost += STORED.entries.length;
  }
  return { facts: 2 * STORED.entries.length, lost };
}

const changed = (file: string, from: string | RegExp, to: string, sign = true): Promise<Uint8Array> =>
  changedArchive(STORED, file, (text) => text.replace(from, to), sign);

/** An archive whose third fact has `value` in its key or residual. */
const withNumber = (field: "key" | "residual", value: number): Promise<Uint8Array> =>
  packed({
    ...STORED,
    entries: STORED.entries.map((entry, i) =>
      i === 2 ? { ...entry, [field]: entry[field].with(1, value) } : entry,
    ),
  });

/** An archive with a file in the place of one of its own. */
async function withFile(name: string, bytes: Uint8Array, sign = true): Promise<Uint8Array> {
  const files = await filesOf(await packed(STORED));
  files.set(name, bytes);
  return archiveOf(files, sign);
}

attacks("archives", {
  "no archive at all": () => notImported(utf8("evil"), /is not a zip archive/),
  "an archive cut off": async () =>
    notImported((await packed(STORED)).subarray(0, 900), /is not a zip archive|damaged/),
  "one byte changed in the middle": async () => {
    const bytes = (await packed(STORED)).slice();
    bytes[bytes.length >> 1]! ^= 1;
    return notImported(bytes, /m\.zip|vectors/);
  },
  "an archive of another program": () =>
    notImported(writeZip([{ name: "a", bytes: utf8("x") }]), /is missing/),
  "another version": () =>
    notImported(changed("manifest.json", '"version": 1', '"version": 99'), /has format 99/),
  "a wrong checksum": () =>
    notImported(changed("routing.jsonl", digestFor(0), digestFor(1), false), /does not match its checksum/),
  "a manifest changed beside its checksum": () =>
    notImported(changed("manifest.json", '"facts": 12', '"facts": 11', false), /its own checksum/),
  "fewer facts than it says": () =>
    notImported(changed("manifest.json", '"facts": 12', '"facts": 13'), /counts 13 vectors/),
  "vectors of another width": () =>
    notImported(changed("manifest.json", '"dModel": 6', '"dModel": 7'), /has the shape/),
  "vectors whose header lies": () =>
    notImported(
      withFile("vectors/000000.safetensors", utf8("\xff".repeat(64))),
      /vectors\/000000\.safetensors/,
    ),
  "a layer that the model lacks": () =>
    notImported(changed("facts/000002.jsonl", '"layer":2', '"layer":9'), /layer is 9/),
  "batches of no fact": {
    fault: "was taken, and a refinement would have stepped on by 0 facts at a time",
    attack: () =>
      notImported(changed("manifest.json", /"encodeBatch": \d+/, '"encodeBatch": 0'), /must be a whole/),
  },
  "steps without end, and parts of half a token": {
    fault: "was taken, for whoever encodes a fact again",
    attack: async () => {
      await notImported(changed("manifest.json", /"steps": \d+/, '"steps": 1e15'), /steps must be a whole/);
      return notImported(
        changed("manifest.json", /"partTokens": [^,]+,/, '"partTokens": 2.5,'),
        /must be a whole number from 2/,
      );
    },
  },
  "a model of a billion layers": {
    fault: "was taken: what is drawn or asked for each layer would never have ended",
    attack: () =>
      notImported(changed("manifest.json", '"layers": 4', '"layers": 1000000000'), /from 0 to 512/),
  },
  "a fact of index 2^40": {
    fault: "was taken: a figure has a row for each index up to it",
    attack: () =>
      notImported(changed("facts/000000.jsonl", '"index":1', '"index":1099511627776'), /from 0 to 100000/),
  },
  "a negative index": () =>
    notImported(changed("facts/000000.jsonl", '"index":1', '"index":-1'), /index is -1/),
  "the same part twice": () => notImported(changed("facts/000000.jsonl", /:300"/, ':0"'), /occurs twice/),
  "a row that is not there": () =>
    notImported(changed("routing.jsonl", '"vector":5', '"vector":99'), /row 99/),
  "numbers that are no numbers": () =>
    notImported(changed("facts/000000.jsonl", '"tokens":3', '"tokens":{"$number":"NaN"}'), /tokens is/),
  "a key that is no number": {
    fault:
      "was merged: the gate of its layer stayed shut for every fact, and what was asked could not be read again",
    attack: () => notImported(withNumber("key", NaN), /the key of fact ".*" holds NaN or infinity/),
  },
  "an infinite residual": {
    fault: "was taken",
    attack: () => notImported(withNumber("residual", Infinity), /the residual of fact ".*" holds NaN/),
  },
  "a routing vector that is no number": {
    fault: "was taken: no question was near its anchor, nor far from it",
    attack: () => {
      const routing = STORED.routing.map((one) => ({ ...one, vector: one.vector.map(() => NaN) }));
      return notImported(packed({ ...STORED, routing }), /a routing vector of .* holds NaN/);
    },
  },
  "a vector in base64 that is none": () =>
    notImported(
      changed("manifest.json", /\{\s*"\$float32": "[^"]*"/, '{ "$float32": "!!!"', false),
      /cannot be read/,
    ),
  "__proto__ in every line": async () => {
    const poison = (text: string): string => text.replaceAll('{"id"', '{"__proto__":{"stolen":true},"id"');
    const bytes = await changedArchive(STORED, "facts/000000.jsonl", poison, true);
    const store = inMemoryStore();
    await importMemory(store, bytes, { name: "m.zip", mode: "replace" });
    expect({}).not.toHaveProperty("stolen");
    expect(bitsOf(await store.load())).toStrictEqual(bitsOf(STORED));
    return { facts: 12, lost: 0 };
  },
  "files whose names lead outside": () =>
    notImported(withFile("../../etc/passwd", utf8("x"), false), /leads out of the archive/),
  // To write that many files takes seconds.
  ...(THOROUGH && {
    "more files than an archive has": () =>
      notImported(
        writeZip(Array.from({ length: 4001 }, (_, i) => ({ name: `${i}`, bytes: utf8("x") }))),
        /holds over 4000 files/,
      ),
  }),
  "vectors that are a bomb": {
    fault: "20 MB were unpacked to 4 GB before anything was checked",
    attack: () => notImported(withFile("vectors/000000.safetensors", new Uint8Array(6_000_000)), /zip bomb/),
  },
  "lines that are a bomb": () =>
    notImported(withFile("facts/000000.jsonl", new Uint8Array(6_000_000)), /zip bomb/),
  "half a million empty lines": {
    fault: "all lines were cut apart before the first was looked at: 200 MB of them took gigabytes",
    attack: () =>
      notImported(withFile("facts/000000.jsonl", utf8("\n".repeat(500_000))), /facts\/000000\.jsonl|JSON/),
  },
  "a line of brackets": () =>
    notImported(withFile("facts/000000.jsonl", utf8(`${"[".repeat(100_000)}\n`)), /cannot be read/),
  "a parameter that no version has": () =>
    notImported(changed("manifest.json", '"read": "top1"', '"read": "evil"'), /must be one of/),
});
