import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { THOROUGH } from "../../src/lib/testing/thorough.ts";
import { openNodeDevice } from "./webGpuDevice.ts";

/** Debian's Chromium brings a Vulkan loader and a software driver; they must be named before a process starts. */
const CHROMIUM = "/usr/lib/chromium";
const driver = `${CHROMIUM}/vk_swiftshader_icd.json`;
const program = fileURLToPath(new URL("./webGpuProgram.ts", import.meta.url));

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

/** Mesa's software driver, the only one of these that offers float16. */
const LAVAPIPE = ["lvp_icd.json", "lvp_icd.x86_64.json"]
  .map((name) => `/usr/share/vulkan/icd.d/${name}`)
  .find((file) => existsSync(file));

it.runIf(THOROUGH)(
  "the golden numbers come out on an adapter with float16, in that precision too",
  ({ skip }) => {
    if (!LAVAPIPE || !existsSync(driver))
      skip("there is no lavapipe: apt-get install -t bookworm-backports mesa-vulkan-drivers, and chromium");
    const env = { ...process.env, LD_LIBRARY_PATH: CHROMIUM, VK_ICD_FILENAMES: LAVAPIPE };
    const parity = ["tools/parity.ts", "golden/qwen3", "--backend", "webgpu", "--precision", "f16"];
    const { stdout, stderr } = spawnSync(process.execPath, ["--import", "tsx", ...parity], {
      env,
      encoding: "utf8",
    });
    if (!stdout.includes("float16")) skip(`lavapipe offers no float16 here: ${stdout || stderr}`);
    expect(stdout).toContain("all within tolerance");
    expect(stdout).toMatch(/ok {4}f16 {2}logits 0\.\d\d %/);
  },
);

it("says what to do where there is no adapter", async () => {
  const opened = await openNodeDevice("webgpu").catch((error: unknown) => error);
  if (!(opened instanceof Error)) return; // this machine has a GPU
  expect(opened.message).toMatch(/^webgpu: unavailable \(no adapter\)\. Install a Vulkan loader/);
});
