import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const SCRIPT = new URL("./testing/measurePrefill.ts", import.meta.url).pathname;

test("a prompt of 8,192 tokens takes a model of 32 heads less than 600 MB beyond its weights", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["--import", "tsx", SCRIPT]);
  const measure = JSON.parse(stdout) as Record<"bytes" | "said" | "pieces" | "longest", number>;
  console.info(`8,192 tokens: ${stdout.trim()}`);
  expect(measure).toMatchObject({ said: 2, longest: 64 });
  // One tensor of scores alone, in pieces, is 64 MB; of the whole prompt at once it would be 8.6 GB.
  expect(measure.bytes).toBeGreaterThan(64e6);
  expect(measure.bytes).toBeLessThan(600e6);
});
