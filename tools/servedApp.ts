/** @file The built app on a local address, and a Chromium to look at it: for benchmarks and screenshots, not tests. */

import { chromium, type Browser } from "@playwright/test";
import { build, preview } from "vite";
import { ensureBrowser, QUIET } from "./browser.ts";

export interface ServedApp {
  readonly url: string;
  readonly browser: Browser;
  close(): Promise<void>;
}

const OUT = "out/app";
const PORT = 4391;

/** Builds the app as it ships (apart from `npm start`'s own build) and serves it until `close`. */
export async function serveApp(): Promise<ServedApp> {
  await build({ logLevel: "error", build: { outDir: OUT, emptyOutDir: true } });
  const server = await preview({
    logLevel: "error",
    build: { outDir: OUT },
    preview: { port: PORT, host: "127.0.0.1" },
  });
  const browser = await chromium.launch({ executablePath: ensureBrowser(), args: [...QUIET] });
  return {
    url: server.resolvedUrls!.local[0]!,
    browser,
    async close() {
      await browser.close();
      await server.close();
    },
  };
}
