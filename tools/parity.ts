/**
 * @file `npm run parity -- DIR…`: every key of golden.json against this project's graphs, on the CPU or on the GPU, and how far the
 * other precisions are from the golden numbers.
 */

import { parseArgs } from "node:util";
import { PRECISIONS, type Precision } from "../src/lib/precision.ts";
import { deviation, type Deviation } from "./checks/deviation.ts";
import { loadWeights } from "../src/engine/loadWeights.ts";
import { parseGolden } from "./checks/golden.ts";
import { parity, type ParityRow } from "./checks/parity.ts";
import { present } from "../src/lib/assert.ts";
import type { Device } from "../src/runtime/device.ts";
import { openNodeDevice } from "./node/webGpuDevice.ts";
import { readJson } from "../src/weights/modelFiles.ts";
import { nodeModelFiles } from "./node/nodeFile.ts";
import { PRECISION_OPTION, precisionOption, runCommand, UsageError } from "./cli.ts";

/** The precisions, besides f32, that are compared with golden numbers. */
type Rounded = Exclude<Precision, "f32">;

async function check(directory: string, device: Device, precisions: readonly Rounded[]): Promise<boolean> {
  const files = await nodeModelFiles(directory);
  const golden = parseGolden(
    present(await readJson(files, "golden.json"), () => `parity: ${directory} has no golden.json`),
  );
  const { decoder, weights } = await loadWeights(device, files, { precision: "f32" });
  const rows = await parity(device, decoder, weights, golden);
  const { backend, f16 } = device.capabilities;
  console.log(`\n${directory} (${decoder.config.architecture}) on ${backend}${f16 ? ", float16" : ""}`);
  for (const row of rows) console.log(format(row));
  const found: Deviation[] = [];
  for (const precision of precisions) found.push(await deviation(device, files, golden, precision));
  if (found.length > 0) console.log("relative RMS of the other precisions");
  for (const each of found) console.log(formatDeviation(each));
  for (const weight of weights.values()) weight.dispose();
  return rows.every((row) => row.ok) && found.every(isNear);
}

const isNear = ({ logits, gradient, allowed }: Deviation): boolean =>
  logits <= allowed.logits && gradient <= allowed.gradient;

const formatDeviation = (row: Deviation): string => {
  const part = (what: "logits" | "gradient") =>
    `${what} ${percent(row[what])} (allowed ${percent(row.allowed[what])})`;
  return `${isNear(row) ? "ok   " : "WRONG"} ${row.precision.padEnd(4)} ${part("logits")}   ${part("gradient")}`;
};

const percent = (share: number): string => `${(100 * share).toFixed(2)} %`;

const format = ({ key, error, tolerance, ok }: ParityRow): string =>
  `${ok ? "ok   " : "WRONG"} ${key.padEnd(40)} ${error.toExponential(2).padStart(9)}   allowed ${tolerance.toExponential(0)}`;

const USAGE = `usage: npm run parity -- DIR… [--precision ${PRECISIONS.join("|")}] [--backend cpu|webgpu]
  each DIR with config.json, model.safetensors, golden.json; without --precision all are compared`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { ...PRECISION_OPTION, backend: { type: "string", default: "cpu" } },
    allowPositionals: true,
  });
  if (positionals.length === 0) throw new UsageError("no folder is given");
  const { precision } = precisionOption(values);
  const chosen = precision === undefined ? PRECISIONS : [precision];
  const { backend } = values;
  if (backend !== "cpu" && backend !== "webgpu")
    throw new UsageError(`--backend ${backend}: cpu or webgpu expected`);
  // One for all: onnxruntime-node does not survive a second GPU device in a process.
  const device = await openNodeDevice(backend);
  let ok = true;
  for (const directory of positionals)
    ok =
      (await check(
        directory,
        device,
        chosen.flatMap((one) => (one === "f32" ? [] : [one])),
      )) && ok;
  // On the GPU in Node a tensor that outlives its session ends the process when it is freed.
  if (backend === "cpu") await device.dispose();
  console.log(ok ? "\nall within tolerance" : "\nparity FAILED");
  process.exitCode = ok ? 0 : 1;
}

await runCommand(main, USAGE);
