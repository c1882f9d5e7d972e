/** @file Writes selftest.expected.json from onnxruntime's CPU kernels: `npx tsx src/runtime/testing/writeSelftest.ts`. */
import { writeFileSync } from "node:fs";
import { createNodeDevice } from "../node.ts";
import { runProbe } from "../probe.ts";

const device = await createNodeDevice({ backend: "cpu", threads: 1 });
const numbers = await runProbe(device, "float32");
const rows = Object.entries(numbers).map(
  ([name, values]) =>
    `  ${JSON.stringify(name)}: [${values.map((v) => Number(v.toPrecision(8))).join(", ")}]`,
);
writeFileSync(new URL("../selftest.expected.json", import.meta.url), `{\n${rows.join(",\n")}\n}\n`);
await device.dispose();
