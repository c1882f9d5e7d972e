/**
 * @file `npm run tool -- probe`: probes the layers and the part length of a model, memorises some pages of a novel with it,
 * and keeps the results in its folder, so that the first run in the app need not probe and can estimate its time. Run it
 * again for every edition of the bundled model.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import { RECORDED_PROBE } from "../../src/engine/localEngine.ts";
import type { FlowContext } from "../../src/flow/context.ts";
import { memorize } from "../../src/flow/memorize.ts";
import { planLayers } from "../../src/flow/layerProbe.ts";
import { makeDocument } from "../../src/ingest/text.ts";
import { keyOf, SHARP } from "../../src/records/params.ts";
import type { LayerProbe, RecordedProbe } from "../../src/records/plan.ts";
import type { Document } from "../../src/records/source.ts";
import { inMemoryStore } from "../../src/store/inMemory.ts";
import { present } from "../../src/lib/assert.ts";
import { BUNDLED_MODEL, openModel, progressPrinter, runCommand } from "../cli.ts";

const USAGE = `Usage: npm run tool -- probe [--model DIR]
  --model DIR      default public/models/palimpsest-7m; its ${RECORDED_PROBE} is written`;

/** Long enough for all lengths of parts, and for batches that are full. */
const CHARACTERS = 16_000;
const NOVEL = "data/books/wilde_the_picture_of_dorian_gray.txt.gz";

function pages(): Document {
  const novel = gunzipSync(readFileSync(NOVEL)).toString("utf8");
  return makeDocument("pages of a novel", novel.slice(4000, 4000 + CHARACTERS));
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { model: { type: "string", default: BUNDLED_MODEL } },
  });
  const { engine, device } = await openModel(values.model, "cpu", undefined, { precision: "f32" });
  try {
    const context: FlowContext = {
      ...{ engine, store: inMemoryStore(), params: SHARP },
      now: () => performance.now(),
      date: () => new Date().toISOString(),
      onProgress: progressPrinter(),
    };
    const plan = await planLayers(context);
    const parts = present(plan.parts, () => "probe:record: the preset does not probe the part length");
    const { rates } = await memorize({ ...context, probed: plan.choices, parts }, [pages()]);
    const record: RecordedProbe = {
      sha256: engine.model.sha256,
      encode: keyOf(SHARP, "encode"),
      machine: `${cpus()[0]?.model.trim() ?? "unknown processor"}, in Node`,
      layers: plan.choices
        .map(({ layer, exactRate, fidelity, cost: seconds, work, n }): LayerProbe => ({
          ...{ layer, exactRate, fidelity, cost: seconds },
          ...(work === undefined ? {} : { work }),
          ...(n === undefined ? {} : { n }),
        }))
        .toSorted((a, b) => a.layer - b.layer),
      parts,
      cost: rates,
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
