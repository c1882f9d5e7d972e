import { execFile } from "node:child_process";
import { mkdtemp, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { THOROUGH } from "../lib/testing/thorough.ts";
import { makeBigSafetensors } from "../../tools/makeBigSafetensors.ts";
import type { LoadMeasure } from "./testing/measureLoad.ts";

/** Past 2^31, so that an offset kept in 32 bits somewhere would show. */
const FILE_BYTES = 2.2e9;
const DISK_BYTES = 2.5e9;
const LIMIT = 64 * 2 ** 20;
const SCRIPT = new URL("./testing/measureLoad.ts", import.meta.url).pathname;

const { bavail, bsize } = await statfs(tmpdir());
const free = bavail * bsize;
if (THOROUGH && free < DISK_BYTES)
  console.warn(`skipped: ${tmpdir()} has ${free} bytes free, the 2 GB load test needs ${DISK_BYTES}`);

test.runIf(THOROUGH && free >= DISK_BYTES)(
  "a load of 2 GB holds less than 64 MB beyond the weights",
  { timeout: 120_000 },
  async () => {
    const directory = await mkdtemp(path.join(tmpdir(), "palimpsest-2gb-"));
    try {
      const size = await makeBigSafetensors(path.join(directory, "model.safetensors"), FILE_BYTES);
      expect(size).toBeGreaterThan(FILE_BYTES);
      const { stdout } = await promisify(execFile)(process.execPath, [
        "--expose-gc",
        "--import",
        "tsx",
        SCRIPT,
        directory,
      ]);
      const measure = JSON.parse(stdout) as LoadMeasure;
      console.info(`2 GB load: ${stdout.trim()}`);
      expect(measure.bytesRead).toBeGreaterThanOrEqual(FILE_BYTES);
      expect(measure.bytesWritten).toBeGreaterThan(measure.bytesRead);
      expect(measure.samples).toBeGreaterThan(100);
      expect(measure.rss).toBeLessThan(LIMIT);
      expect(measure.external).toBeLessThan(LIMIT);
      if (measure.peakRss !== null) expect(measure.peakRss).toBeLessThan(LIMIT);
    } finally {
      await rm(directory, { recursive: true });
    }
  },
);
