/** @file Writes selftest.expected.json from onnxruntime's CPU kernels: `npx tsx src/engine/testing/writeSelftest.ts`. */
import { writeFileSync } from "node:fs";
import { createNodeDevice } from "../../../tools/node/nodeDevice.ts";
import { runProbe } from "../selftest.ts";

const device = await createNodeDevice({ backend: "cpu", threads: 1 });
const { results } = await runProbe(device);
const rows = Object.entries(results).map(
  ([name, { values }]) =>
    `  ${JSON.stringify(name)}: [${values.map((v) => Number(v.toPrecision(8))).join(", ")}]`,
);
writeFileSync(new URL("../selftest.expected.json", import.meta.url), `{\n${rows.join(",\n")}\n}\n`);
await device.dispose();
