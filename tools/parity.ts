/** @file `npm run parity -- DIR…`: every key of golden.json against this project's graphs on the CPU. */

import { loadWeights } from "../src/engine/loadWeights.ts";
import { parity, parseGolden, type ParityRow } from "../src/engine/parity.ts";
import { present } from "../src/lib/assert.ts";
import { createNodeDevice } from "../src/runtime/node.ts";
import { readJson } from "../src/weights/modelFiles.ts";
import { nodeModelFiles } from "../src/weights/nodeFile.ts";

async function check(directory: string): Promise<boolean> {
  const files = await nodeModelFiles(directory);
  const golden = present(
    await readJson(files, "golden.json"),
    () => `parity: ${directory} has no golden.json`,
  );
  const device = await createNodeDevice({ backend: "cpu" });
  const { decoder, weights } = await loadWeights(device, files);
  const rows = await parity(device, decoder, weights, parseGolden(golden));
  await device.dispose();
  console.log(`\n${directory} (${decoder.config.architecture})`);
  for (const row of rows) console.log(format(row));
  return rows.every((row) => row.ok);
}

const format = ({ key, error, tolerance, ok }: ParityRow): string =>
  `${ok ? "ok   " : "WRONG"} ${key.padEnd(40)} ${error.toExponential(2).padStart(9)}   allowed ${tolerance.toExponential(0)}`;

const directories = process.argv.slice(2);
if (directories.length === 0) {
  console.error("usage: npm run parity -- DIR…   (each with config.json, model.safetensors, golden.json)");
  process.exit(2);
}
let ok = true;
for (const directory of directories) ok = (await check(directory)) && ok;
console.log(ok ? "\nall within tolerance" : "\nparity FAILED");
process.exitCode = ok ? 0 : 1;
