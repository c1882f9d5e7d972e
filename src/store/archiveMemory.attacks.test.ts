/** @file Archives of few bytes that would take many: levels of 8 bits become float32 when they are read. */

import { attacks, refused } from "../lib/testing/attacks.ts";
import { unpackMemory } from "./archiveUnpack.ts";
import { changedArchive } from "./testing/archives.ts";
import { makeMemory, upTo } from "./testing/memory.ts";

/** An archive of the formats that have all vectors in one file, of a model that is said to be so wide. */
const ofWidth = (facts: number, dFf: number): Promise<Uint8Array> =>
  changedArchive(
    makeMemory(upTo(facts)),
    "manifest.json",
    (text) => text.replace('"dFf": 10', `"dFf": ${dFf}`),
    true,
  );

attacks("archives", {
  "keys of forty million numbers": {
    fault: "a file of 11 MB within all limits took 6 GB: levels of 8 bits were counted, not what they become",
    attack: async () =>
      refused(unpackMemory(await ofWidth(2, 40e6), "m.zip"), /dFf is 40000000; a whole number from 0 to/),
  },
  "keys in 8 bits of more bytes, as float32, than a file may have": {
    fault: "the same",
    attack: async () =>
      refused(unpackMemory(await ofWidth(70, 4e6), "m.zip"), /take \d+ bytes in float32.*at most 1000000000/),
  },
});
