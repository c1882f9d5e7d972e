// The browser tests: every spec runs in a real Chromium, once on wasm and once on WebGPU in software
// (SwiftShader); *.webgpu.spec.ts on the latter alone, the tests of this harness on the former.
import { defineConfig } from "@playwright/test";
import type { Backend } from "./e2e/support/test.ts";
import { THOROUGH } from "./src/lib/testing/thorough.ts";
import { findBrowser, findLightBrowser, QUIET } from "./tools/browser.ts";

const port = Number(process.env["PALIMPSEST_E2E_PORT"] ?? 4317);

const quiet = [
  ...QUIET,
  // Onnxruntime is compiled anew for every page, and most functions run too seldom to be worth a second, optimised
  // compilation: with the tenfold threshold opening the bundled model takes 6.7 processor seconds in place of 10.5.
  "--js-flags=--wasm-tiering-budget=500000000",
  // Nothing but the test server resolves: a request that slipped past the page guard goes nowhere.
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];
const softwareGpu = ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"];

function launch(executablePath: string | undefined, args: readonly string[]) {
  return { launchOptions: { args: [...args], ...(executablePath ? { executablePath } : {}) } };
}

export default defineConfig<object, { backend: Backend }>({
  testDir: "e2e",
  outputDir: "test-results",
  // Most of a test on wasm is waiting for a page: two at a time take half as long on two cores.
  workers: 2,
  timeout: 60_000,
  // A browser on two busy cores now and then misses a key or a frame. What passes at the second try only is listed as
  // flaky at the end, to be mended.
  retries: 1,
  // What is there at once on an idle machine may take this long on a busy one.
  expect: { timeout: 20_000 },
  forbidOnly: Boolean(process.env["CI"]),
  // Tests so named take minutes and look at a rare case, or at what another test sees on the other backend.
  ...(THOROUGH ? {} : { grepInvert: /@thorough/ }),
  reporter: [["list"]],
  // What is not there to be clicked is said before the whole test is over.
  use: { baseURL: `http://127.0.0.1:${String(port)}`, actionTimeout: 90_000 },
  projects: [
    {
      name: "webgpu-software",
      use: { ...launch(findBrowser(), [...quiet, ...softwareGpu]), backend: "webgpu" },
      // It computes on both cores by itself, but compiles on one: it comes first, and tests on wasm run beside it.
      workers: 1,
      // What has nothing to do with the backend is tested once, on wasm.
      testIgnore: /\/(harness|ingest|hub|store|attacks.*|gallery.*|app\.(?!webgpu).*)\.spec\.ts$/,
    },
    {
      name: "wasm",
      use: { ...launch(findLightBrowser(), quiet), backend: "wasm" },
      testIgnore: "**/*.webgpu.spec.ts",
    },
  ],
  webServer: {
    // A build and not the dev server: it tests what ships, and no late dependency scan reloads a page in mid-test.
    command: `npx vite build --mode e2e --logLevel error && npx vite preview --mode e2e --host 127.0.0.1 --port ${String(port)} --strictPort`,
    url: `http://127.0.0.1:${String(port)}/e2e/page.html`,
    reuseExistingServer: false,
    // A build takes minutes where others build too; a measurement waits for it.
    timeout: process.env["PALIMPSEST_BENCH"] ? 900_000 : 120_000,
  },
});
