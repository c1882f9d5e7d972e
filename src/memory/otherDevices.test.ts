/** @file Facts that are made on the CPU are said by onnxruntime's wasm build, and those made there by the CPU. */

import { createRequire } from "node:module";
import { dirname } from "node:path";
import { expect, it } from "vitest";
import { rounds } from "../lib/testing/thorough.ts";
import { nodeModelFiles } from "../../tools/node/nodeFile.ts";
import { openEngine } from "../engine/localEngine.ts";
import { BUNDLED } from "../engine/testing/models.ts";
import { useBundled } from "../engine/testing/useBundled.ts";
import { SHARP } from "../records/params.ts";
import { createWebDevice } from "../runtime/web.ts";
import { ownRow, sayAlone } from "./parts.ts";
import { encodeAll, facts } from "./testing/facts.ts";

const shared = useBundled();

it("says every fact on the device that did not make it, by nearly the same margin", async () => {
  const wasmPaths = `${dirname(createRequire(import.meta.url).resolve("onnxruntime-web/wasm"))}/`;
  const device = await createWebDevice({ backend: "wasm", wasmPaths, threads: 1 });
  const wasm = await openEngine(device, await nodeModelFiles(BUNDLED));
  const cpu = shared.engine;
  const planned = facts([3, 5], rounds(4, 8));
  for (const [maker, other] of [
    [cpu, wasm],
    [wasm, cpu],
  ] as const) {
    const entries = await encodeAll(maker, planned, SHARP);
    expect(entries.every(({ report }) => report.exact)).toBe(true);
    const said = await sayAlone(other, entries);
    expect(said.map((tokens) => other.decode(tokens).trim())).toEqual(
      planned.map(({ fact: { value } }) => value),
    );
    const parts = entries.map((entry, i) => {
      const { prompt, injection } = ownRow(other, entry);
      return { prompt, injection: injection!, targets: said[i]! };
    });
    for (const [i, { margin }] of (await other.check(parts)).entries())
      expect(Math.abs(margin - entries[i]!.report.margin)).toBeLessThan(1e-3);
  }
  await wasm.dispose();
  await device.dispose();
});
