/** @file `npm run verify` and the Python reader, on a file that the command line made with the bundled model. */

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { useBundled } from "../src/engine/testing/useBundled.ts";
import { BUNDLED } from "../src/engine/testing/models.ts";
import { memorize } from "../src/flow/memorize.ts";
import { context, documentOf, HOOK_MS, QUICK, seeded, STORY } from "../src/flow/testing/runs.ts";
import { dot, norm } from "../src/lib/vector.ts";
import { keyText } from "../src/records/fact.ts";
import type { MemoryEntry } from "../src/records/memory.ts";
import { exportMemory } from "../src/store/archive.ts";
import { memoryFileStore } from "./node/memoryFile.ts";
import { verify } from "./verify.ts";

const opened = useBundled();
const folder = mkdtempSync(path.join(tmpdir(), "palimpsest-verify-"));
const file = path.join(folder, "memory.zip");
afterAll(() => rmSync(folder, { recursive: true }));

let entries: readonly MemoryEntry[] = [];
beforeAll(async () => {
  const store = await seeded(opened.engine, [3, 4], memoryFileStore(file));
  await memorize(context(opened.engine, { store, params: QUICK }), [documentOf(STORY)]);
  entries = (await store.load())!.entries;
}, HOOK_MS);

const command = (...args: string[]) =>
  spawnSync(process.execPath, ["--import", "tsx", "tools/verify.ts", ...args], { encoding: "utf8" });

describe("verify", () => {
  it("decodes every fact again and finds the value of its hash", async () => {
    const found = await verify(file, { say: BUNDLED });
    expect(found.filter(({ holds }) => holds === false)).toEqual([]);
    expect(found.at(-1)!.text).toMatch(/facts decode to the value/);
  }, 60_000);

  it("signs a file, and exits with 1 if a bit of it changes", () => {
    const signed = command(file, "--sign", path.join(folder, "key.json"));
    const key = /Public key: ([0-9a-f]+)/.exec(signed.stdout)![1]!;
    expect(command(file, "--require-signature", key).status).toBe(0);
    const bytes = readFileSync(file);
    bytes[bytes.length >> 1]! ^= 4;
    const copy = path.join(folder, "changed.zip");
    writeFileSync(copy, bytes);
    const refused = command(copy);
    expect(refused.status).toBe(1);
    expect(refused.stdout).toMatch(/FAIL .*(vectors|facts|routing)/);
  }, 60_000);
});

const hasPython = spawnSync("python3", ["-c", "import numpy"]).status === 0;

describe("the Python reader", () => {
  it.skipIf(!hasPython)(
    "reads the same facts and cosines beside a notebook, and checks the root [needs python3 with numpy]",
    async () => {
      const whole = path.join(folder, "whole.palimpsest");
      const archive = await exportMemory(memoryFileStore(file), "1", null, "{}");
      writeFileSync(whole, new Uint8Array(await archive.arrayBuffer()));
      expect((await verify(whole, {})).filter(({ holds }) => holds === false)).toEqual([]);
      const output = execFileSync("python3", ["tools/read_memory.py", whole, "--json"], { encoding: "utf8" });
      const read = JSON.parse(output) as {
        readonly entries: readonly {
          key: string;
          layer: number;
          nearest: string | null;
          cosine: number | null;
        }[];
      };
      expect(read.entries.map(({ key, layer }) => [key, layer])).toEqual(
        entries.map((entry) => [keyText(entry), entry.layer]),
      );
      for (const [i, { cosine }] of read.entries.entries()) {
        const own = entries[i]!;
        const others = entries.filter((entry) => entry !== own && entry.layer === own.layer);
        const cosines = others.map(({ key }) => dot(key, own.key) / norm(key) / norm(own.key));
        if (cosines.length === 0) expect(cosine).toBeNull();
        else expect(Math.abs(cosine! - Math.max(...cosines))).toBeLessThan(1e-5);
      }
    },
  );
});
