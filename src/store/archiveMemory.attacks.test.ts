/** @file Archives of few bytes that would take many: levels of 8 bits become float32 when they are read. */

import { attacks, refused } from "../lib/testing/attacks.ts";
import { writeZip } from "../lib/zip.ts";
import { unpackMemory } from "./archiveRead.ts";
import { changedArchive, filesOf, packed } from "./testing/archives.ts";
import { makeMemory, upTo } from "./testing/memory.ts";

/** An archive of a model whose manifest names this width. */
const ofWidth = (dFf: number): Promise<Uint8Array> =>
  changedArchive(
    makeMemory(upTo(2)),
    "manifest.json",
    (text) => text.replace('"dFf": 10', `"dFf": ${dFf}`),
    true,
  );

/** An archive with a vector file of `bytes` bytes, which does not compress. */
async function ofBlock(bytes: number): Promise<Uint8Array> {
  const files = await filesOf(await packed(makeMemory(upTo(2))));
  files.set("vectors/000000.safetensors", new Uint8Array(bytes));
  return writeZip([...files].map(([name, content]) => ({ name, bytes: content, stored: true })));
}

attacks("archives", {
  "keys of forty million numbers": {
    fault: "a file of 11 MB within all limits took 6 GB: levels of 8 bits were counted, not what they become",
    attack: async () =>
      refused(unpackMemory(await ofWidth(40e6), "m.zip"), /dFf is 40000000; a whole number from 0 to/),
  },
  "a block of more bytes than would fit as float32": {
    fault: "the same",
    attack: async () =>
      refused(
        unpackMemory(await ofBlock(65 * 2 ** 20), "m.zip"),
        /unpacks to 68157440 bytes, at most 67108864/,
      ),
  },
});
