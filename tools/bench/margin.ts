/**
 * @file `npm run bench -- margin`: facts that are made on the CPU are recalled on another device. It reports how many are exact
 * there, and the differences between the margins that both devices compute.
 */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import { factsOf, probedLayers } from "./encode.ts";
import { BUNDLED_MODEL, choiceOption, numberOption, runCommand, UsageError } from "../cli.ts";
import { nodeModelFiles } from "../node/nodeFile.ts";
import { openNodeDevice } from "../node/webGpuDevice.ts";
import { openEngine } from "../../src/engine/localEngine.ts";
import { sentences } from "../../src/ingest/sentences.ts";
import { makeDocument } from "../../src/ingest/text.ts";
import { chunks } from "../../src/lib/group.ts";
import { wilson } from "../../src/lib/stats.ts";
import { encodeFacts } from "../../src/memory/encode.ts";
import { sameTokens } from "../../src/memory/fidelity.ts";
import { ownRow, sayAlone } from "../../src/memory/parts.ts";
import { assignLayers } from "../../src/plan/layers.ts";
import type { MemoryEntry } from "../../src/records/memory.ts";
import { SHARP } from "../../src/records/params.ts";
import type { Device } from "../../src/runtime/device.ts";
import { createWebDevice } from "../../src/runtime/web.ts";

const BACKENDS = ["wasm", "webgpu", "cpu"] as const;
const USAGE = `usage: npm run bench -- margin --text FILE [options]
  --text FILE      a text, or one packed with gzip
  --model DIR      default public/models/palimpsest-7m
  --facts N        the first so many sentences (default 500)
  --margin M       logits by which every token of a part leads (default ${SHARP.margin}; 0: decoded on the CPU)
  --backend ${BACKENDS.join("|")}   the other device (default wasm)
  --compared N     parts whose margins both devices compute (default: all); every part is recalled
Prints one JSON document.`;

const TOGETHER = 256;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      text: { type: "string" },
      model: { type: "string", default: BUNDLED_MODEL },
      facts: { type: "string" },
      margin: { type: "string" },
      backend: { type: "string", default: "wasm" },
      compared: { type: "string" },
    },
  });
  if (!values.text) throw new UsageError("--text is missing: give the file to take facts from");
  const backend = choiceOption("backend", values.backend, BACKENDS);
  const count = numberOption("facts", values.facts, { min: 1, whole: true }) ?? 500;
  const compared = numberOption("compared", values.compared, { min: 1, whole: true }) ?? Infinity;
  const params = { ...SHARP, margin: numberOption("margin", values.margin, { min: 0 }) ?? SHARP.margin };
  const bytes = readFileSync(values.text);
  const text = (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString("utf8");
  const found = [...sentences(makeDocument("margin", text))].slice(0, count);
  const facts = await factsOf(
    found.map((sentence) => sentence.text),
    params,
  );
  const files = await nodeModelFiles(values.model);

  const here = await openNodeDevice("cpu");
  const there = await openOther(backend);
  const made = await openEngine(here, files);
  const other = await openEngine(there, files);
  const entries: MemoryEntry[] = [];
  for await (const group of encodeFacts(
    made,
    assignLayers(facts, probedLayers(made, params), params),
    params,
  ))
    entries.push(...group);
  const differences: number[] = [];
  const inexact = new Set<string>();
  let recalled = 0;
  for (const some of chunks(entries, TOGETHER)) {
    const [expected, said] = [await sayAlone(made, some), await sayAlone(other, some)];
    for (const [i, { id, report }] of some.entries())
      if (!report.exact || !sameTokens(said[i]!, expected[i]!)) inexact.add(id);
    const parts = some.slice(0, Math.max(0, compared - recalled)).map((entry, i) => {
      const { prompt, injection } = ownRow(made, entry);
      return { prompt, injection: injection!, targets: expected[i]! };
    });
    const [a, b] = [await made.check(parts), await other.check(parts)];
    for (const [i, { margin }] of a.entries())
      if (margin > 0 && b[i]!.margin > 0) differences.push(Math.abs(margin - b[i]!.margin));
    recalled += some.length;
    console.error(`${recalled} of ${entries.length} parts, ${inexact.size} facts differ`);
  }
  differences.sort((a, b) => a - b);
  const margins = entries.map(({ report }) => report.margin).sort((a, b) => a - b);
  const exact = facts.length - inexact.size;
  const at = (sorted: readonly number[], share: number) => sorted[Math.floor(share * (sorted.length - 1))];
  console.log(
    JSON.stringify({
      ...{ backend, device: there.capabilities.description, margin: params.margin },
      ...{ facts: facts.length, exact, interval: wilson(exact, facts.length), parts: entries.length },
      steps: entries.reduce((sum, { report }) => sum + report.steps, 0),
      margins: { least: at(margins, 0), hundredth: at(margins, 0.01), median: at(margins, 0.5) },
      differences: { parts: differences.length, median: at(differences, 0.5), largest: at(differences, 1) },
    }),
  );
  for (const device of [there, here]) await device.dispose();
}

function openOther(backend: (typeof BACKENDS)[number]): Promise<Device> {
  if (backend !== "wasm") return openNodeDevice(backend);
  const wasmPaths = `${dirname(createRequire(import.meta.url).resolve("onnxruntime-web/wasm"))}/`;
  return createWebDevice({ backend, wasmPaths });
}

await runCommand(main, USAGE);
