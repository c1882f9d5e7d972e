/**
 * @file `npm run probe:record`: probes the layers and the part length of a model and keeps what was found in its folder,
 * so that nobody's first run of it has to: for the bundled model anew with every edition.
 */

import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { RECORDED_PROBE } from "../src/engine/recordedProbe.ts";
import { planLayers } from "../src/flow/probe.ts";
import { keyOf, SHARP } from "../src/records/params.ts";
import type { LayerProbe, RecordedProbe } from "../src/records/plan.ts";
import { inMemoryStore } from "../src/store/inMemory.ts";
import { present } from "../src/lib/assert.ts";
import { openModel, progressPrinter, runCommand } from "./cli.ts";

const USAGE = `Usage: npm run probe:record -- [--model DIR]
  --model DIR      default public/models/palimpsest-6m; its ${RECORDED_PROBE} is written`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { model: { type: "string", default: "public/models/palimpsest-6m" } },
  });
  const { engine, device } = await openModel(values.model, "cpu", undefined, { precision: "f32" });
  try {
    const plan = await planLayers({
      ...{ engine, store: inMemoryStore(), params: SHARP },
      now: () => performance.now(),
      date: () => new Date().toISOString(),
      onProgress: progressPrinter(),
    });
    const parts = present(plan.parts, () => "probe:record: the preset does not probe the part length");
    const record: RecordedProbe = {
      sha256: engine.model.sha256,
      encode: keyOf(SHARP, "encode"),
      machine: `${cpus()[0]?.model.trim() ?? "unknown processor"}, in Node`,
      layers: plan.choices
        .map(({ layer, exactRate, fidelity, cost, work }): LayerProbe => ({
          ...{ layer, exactRate, fidelity, cost },
          ...(work === undefined ? {} : { work }),
        }))
        .toSorted((a, b) => a.layer - b.layer),
      parts,
    };
    const path = join(values.model, RECORDED_PROBE);
    writeFileSync(path, `${JSON.stringify(record, null, 1)}\n`);
    const tried = parts.tried.map(
      ({ longest, exactRate, vectors, steps }) =>
        `${longest}: exact ${exactRate}, ${vectors.toFixed(2)} vectors × ${steps.toFixed(2)} steps`,
    );
    console.log(
      `${path}: layers ${plan.layers.join(" ")}, parts of at most ${parts.longest} (${tried.join("; ")})`,
    );
  } finally {
    await engine.dispose();
    await device.dispose();
  }
}

await runCommand(main, USAGE);
