/** @file Archives of few bytes that take many: levels of 8 bits become float32 when they are read. */

import { expect } from "vitest";
import { attacks } from "../lib/testing/attacks.ts";
import { encodeHeader, type TensorSpec } from "../lib/safetensors.ts";
import { packMemory } from "./archivePack.ts";
import { unpackMemory } from "./archiveUnpack.ts";
import { fromJson, toJson } from "./json.ts";
import { archiveOf, filesOf } from "./testing/archives.ts";
import { makeCompact, upTo } from "./testing/memory.ts";

const [FACTS, D_FF] = [2, 40_000_000];

/** Two facts whose keys have 40 million levels each; 80 MB, in a file of a megabyte. */
async function wide(): Promise<Uint8Array> {
  const files = await filesOf(await packMemory(makeCompact(upTo(FACTS)), "1"));
  const manifest = fromJson(new TextDecoder().decode(files.get("manifest.json"))) as {
    memory: { model: { dFf: number }; centres?: unknown };
  };
  manifest.memory.model.dFf = D_FF;
  delete manifest.memory.centres;
  files.set("manifest.json", new TextEncoder().encode(toJson(manifest)));
  const specs: TensorSpec[] = [
    { name: "keys.scales", dtype: "F32", shape: [FACTS] },
    { name: "keys", dtype: "I8", shape: [FACTS, D_FF] },
    { name: "residuals", dtype: "F32", shape: [FACTS, 6] },
    { name: "documents", dtype: "F32", shape: [FACTS, 5] },
    { name: "facts", dtype: "F32", shape: [1, 5] },
  ];
  const header = encodeHeader(specs);
  const bytes = new Uint8Array(header.length + 4 * FACTS + FACTS * D_FF + 4 * (FACTS * 11 + 5));
  bytes.set(header);
  // Enough of them that it does not pass for a zip bomb.
  for (let i = header.length; i < bytes.length; i += 100) bytes[i] = (Math.imul(i, 2654435761) >>> 13) & 0x3f;
  files.set("vectors.safetensors", bytes);
  return archiveOf(files, true);
}

attacks("archives", {
  "keys in 8 bits that become float32": {
    fault: "a file of 11 MB within all limits took 6 GB: what is unpacked was counted, not what it becomes",
    attack: async () => {
      const archive = await wide();
      const before = process.memoryUsage().arrayBuffers;
      const memory = await unpackMemory(archive, "m.zip").catch(() => null);
      const megabytes = (process.memoryUsage().arrayBuffers - before) / 1e6;
      // As much as an archive of the same size in float32 takes: what was unpacked, a copy, and the vectors.
      if (memory) expect(megabytes).toBeLessThan((3.5 * FACTS * D_FF) / 1e6);
    },
  },
});
