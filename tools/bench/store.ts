/**
 * @file `npm run bench -- store`: a memory of 50,000 made facts in the widths of Qwen3-4B, in Chromium: bytes on disk, heap
 * and device while it is asked, which layers are read, how soon its table is there. It is e2e/store.real.spec.ts, which
 * the tests leave out; `-- --facts N` makes another number.
 */

import { parseArgs } from "node:util";

const { facts } = parseArgs({ options: { facts: { type: "string" } } }).values;
process.env["PALIMPSEST_BENCH"] = "1";
if (facts) process.env["PALIMPSEST_FACTS"] = facts;
process.argv.splice(2, Infinity, "e2e/store.real.spec.ts", "--project=wasm", "--retries=0");
await import("../browserTests.ts");
