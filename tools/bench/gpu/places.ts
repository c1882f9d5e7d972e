/** @file Where the GPU benchmark measures: onnxruntime-node's providers in this process, and WebGPU in a Chromium. */

import { spawnSync } from "node:child_process";
import { basename } from "node:path";
import { chromium, type Browser } from "@playwright/test";
import { build, preview } from "vite";
import type { GpuBenchChecks } from "../../../e2e/workers/gpuBench.worker.ts";
import { measureCase, type JudgedCase } from "./cases.ts";
import type { Limits } from "./limits.ts";
import type { CaseName, Place } from "./table.ts";
import { openNodeDevice } from "../../node/webGpuDevice.ts";
import packageJson from "../../../package.json" with { type: "json" };
import { findBrowser, QUIET } from "../../browser.ts";
import { madeModelFiles, TOKENIZER } from "../../madeModel.ts";
import type { ModelShape } from "../../modelShapes.ts";

/** A place that is open. */
export interface OpenPlace {
  readonly place: Place;
  measure(name: ShapeCase, given: Partial<Limits>, onProgress: (note: string) => void): Promise<JudgedCase>;
  close(): Promise<void>;
}

export type ShapeCase = CaseName & { readonly shape: ModelShape };

export interface PlaceOptions {
  /** A software adapter is wanted, or put up with. */
  readonly software: boolean;
  /** Name of the card that onnxruntime-node uses, which it does not report. */
  readonly adapter: string | undefined;
}

/** Opens a place. @throws if it cannot be measured */
export const openPlace = (backend: Place["backend"], options: PlaceOptions): Promise<OpenPlace> =>
  backend === "chromium" ? chromiumPlace(options) : nodePlace(backend, options);

async function nodePlace(backend: "webgpu" | "cpu", { adapter }: PlaceOptions): Promise<OpenPlace> {
  const device = await openNodeDevice(backend);
  const { description, runtime } = device.capabilities;
  await device.dispose();
  const driver = driverName();
  const name = backend === "cpu" ? description : (adapter ?? driver ?? nvidiaName() ?? UNNAMED);
  return {
    place: {
      ...{ backend, adapter: name, runtime },
      software: backend === "webgpu" && SOFTWARE.test(`${driver ?? ""} ${name}`),
    },
    async measure({ shape, precision }, given, onProgress) {
      const own = await openNodeDevice(backend);
      try {
        return await measureCase(own, madeModelFiles(shape), precision, given, onProgress);
      } finally {
        await own.dispose();
      }
    },
    close: () => Promise.resolve(),
  };
}

/** The Vulkan driver from the environment, e.g. "vk_swiftshader_icd". */
function driverName(): string | undefined {
  const named = process.env["VK_DRIVER_FILES"] ?? process.env["VK_ICD_FILENAMES"];
  return named ? basename(named, ".json") : undefined;
}

function nvidiaName(): string | undefined {
  const { status, stdout } = spawnSync("nvidia-smi", ["--query-gpu=name", "--format=csv,noheader"]);
  return status === 0 ? stdout.toString().trim().split("\n")[0] : undefined;
}

const UNNAMED = "an adapter that onnxruntime-node does not name (--adapter)";
const SOFTWARE = /swiftshader|lavapipe|llvmpipe|lvp/i;

async function chromiumPlace({ software: wanted }: PlaceOptions): Promise<OpenPlace> {
  const executablePath = findBrowser();
  if (!executablePath)
    throw new Error("chromium: no browser was found; install Chromium or set PALIMPSEST_BROWSER to one");
  const args = [...QUIET, ...NO_NETWORK, ...(wanted ? SOFTWARE_GPU : HARDWARE_GPU)];
  const browser = await chromium.launch({ executablePath, args });
  let served: ServedPage | undefined;
  const close = async (): Promise<void> => {
    await browser.close();
    await served?.close();
  };
  try {
    const adapter = await adapterOf(browser);
    if (adapter.software && !wanted)
      throw new Error(
        `chromium: its adapter is played by the processor (${adapter.name}), whose times say nothing of a GPU; ` +
          "give --software to measure that one, or start it where a GPU and its driver are",
      );
    const runtime = `Chromium ${browser.version()}, onnxruntime-web ${packageJson.dependencies["onnxruntime-web"]}`;
    return {
      place: { backend: "chromium", adapter: adapter.name, software: adapter.software, runtime },
      async measure(name, given, onProgress) {
        served ??= await servePage();
        return measureInPage(browser, served.url, { name, given }, onProgress);
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Nothing but this machine resolves. */
const NO_NETWORK = ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"];
const SOFTWARE_GPU = ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"];
/** On Linux a browser without a window takes the card by Vulkan alone; elsewhere the flags change nothing. */
const HARDWARE_GPU = [
  "--enable-unsafe-webgpu",
  "--ignore-gpu-blocklist",
  ...(process.platform === "linux"
    ? ["--use-angle=vulkan", "--enable-features=Vulkan", "--disable-vulkan-surface", "--disable-gpu-sandbox"]
    : []),
];

/** Asks on an intercepted page of a secure origin. */
async function adapterOf(browser: Browser): Promise<{ readonly name: string; readonly software: boolean }> {
  const page = await browser.newPage();
  await page.route("**/*", (route) => route.fulfill({ contentType: "text/html", body: "<!doctype html>" }));
  await page.goto("http://localhost/");
  const found = await page.evaluate(async () => {
    // Named by its address: the page knows no types of WebGPU.
    const { gpu } = navigator as { gpu?: GPU };
    // Chromium may refuse the first request while its GPU process starts, see src/runtime/gpu.ts.
    await gpu?.requestAdapter();
    await new Promise((done) => setTimeout(done, 500));
    const adapter = await gpu?.requestAdapter({ powerPreference: "high-performance" });
    if (!adapter) return null;
    const { vendor, architecture, device, description, isFallbackAdapter } = adapter.info;
    const name = [vendor, architecture, device, description].filter(Boolean).join(" ");
    return { name: name || "unnamed adapter", fallback: isFallbackAdapter };
  });
  await page.close();
  if (!found)
    throw new Error("chromium: it has no WebGPU adapter here; look at chrome://gpu, or give --software");
  return { name: found.name, software: found.fallback || SOFTWARE.test(found.name) };
}

interface ServedPage {
  readonly url: string;
  close(): Promise<void>;
}

/** Builds the page of the browser tests, which starts our worker, and serves it on this machine. */
async function servePage(): Promise<ServedPage> {
  const mode = "e2e";
  await build({ mode, logLevel: "error", build: { outDir: OUT, emptyOutDir: true } });
  const served = await preview({
    ...{ mode, logLevel: "error", build: { outDir: OUT } },
    preview: { port: PORT, host: "127.0.0.1" },
  });
  return { url: served.resolvedUrls!.local[0]!, close: () => served.close() };
}

const OUT = "out/gpu";
const PORT = 4392;

/** Measures one case on a new page, which is closed afterwards. */
async function measureInPage(
  browser: Browser,
  url: string,
  argument: Omit<Parameters<GpuBenchChecks["measure"]>[0], "tokenizer">,
  onProgress: (note: string) => void,
): Promise<JudgedCase> {
  const page = await browser.newPage();
  page.on("console", (message) => (message.type() === "info" ? onProgress(message.text()) : undefined));
  try {
    await page.goto(`${url}e2e/page.html?worker=gpuBench`);
    await page.waitForFunction(() => typeof window.callWorker === "function");
    const tokenizer = `${url}${TOKENIZER.replace("public/", "")}/`;
    const answer = await page.evaluate((given) => window.callWorker("measure", given), {
      ...argument,
      tokenizer,
    });
    if ("error" in answer) throw new Error(answer.error.message);
    return answer.value as JudgedCase;
  } finally {
    await page.close();
  }
}
