import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { createNodeDevice } from "./node.ts";

/** Debian's Chromium brings a Vulkan loader and a software driver; they must be named before a process starts. */
const CHROMIUM = "/usr/lib/chromium";
const driver = `${CHROMIUM}/vk_swiftshader_icd.json`;
const program = fileURLToPath(new URL("./testing/nodeWebGpu.ts", import.meta.url));

it.skipIf(!existsSync(driver))("shares weights, feeds back and writes on the GPU in Node", () => {
  const env = { ...process.env, LD_LIBRARY_PATH: CHROMIUM, VK_ICD_FILENAMES: driver };
  const { stdout, stderr } = spawnSync(process.execPath, ["--import", "tsx", program], {
    env,
    encoding: "utf8",
  });
  const found = JSON.parse(stdout || JSON.stringify(stderr)) as Record<string, unknown>;
  const w = [1, 2, 3, 4];
  let loop = [1, 0];
  for (let i = 0; i < 20; i++) loop = [loop[0]! + 2 * loop[1]!, 3 * loop[0]! + 4 * loop[1]!].map(Math.fround);
  expect(found).toMatchObject({
    y: [3, 7],
    twice: [6, 14],
    dx: [24, 34],
    before: [4, 5, 0, 1],
    after: [9, 5, 0, 1],
    weight: w,
    bytesAfter: 0,
  });
  (found["loop"] as number[]).forEach((value, i) => expect(value / loop[i]!).toBeCloseTo(1, 5));
  expect(found["refused"]).toMatch(/^session sign: cannot be created: .*CPU EP/);
  expect(found["lateWrite"]).toContain("has been used by a session and cannot be written to any more");
});

it("says what to do where there is no adapter", async () => {
  const opened = await createNodeDevice({ backend: "webgpu" }).catch((error: unknown) => error);
  if (!(opened instanceof Error)) return; // this machine has a GPU
  expect(opened.message).toMatch(/^webgpu: unavailable \(no adapter\)\. Install a Vulkan loader/);
});
