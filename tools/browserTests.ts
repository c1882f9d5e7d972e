/** @file `npm test -- browser`: makes sure there is a Chromium, then runs Playwright; arguments are passed on. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureBrowser } from "./browser.ts";

/** A free port, so that two checkouts can test at the same time. */
async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => {
        if (address && typeof address === "object") resolve(address.port);
        else reject(new Error("browser tests: no free port"));
      });
    });
  });
}

async function main(): Promise<number> {
  ensureBrowser();
  const out = mkdtempSync(join(tmpdir(), "palimpsest-e2e-"));
  try {
    const child = spawn("npx", ["playwright", "test", ...process.argv.slice(2)], {
      stdio: "inherit",
      shell: process.platform === "win32",
      env: {
        ...process.env,
        PALIMPSEST_E2E_OUT: out,
        PALIMPSEST_E2E_PORT: String(await freePort()),
      },
    });
    return await new Promise((resolve, reject) => {
      child.on("error", reject);
      child.on("exit", (code) => {
        resolve(code ?? 1);
      });
    });
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

process.exitCode = await main();
