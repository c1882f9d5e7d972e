import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { findBrowser } from "./browser.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

it("takes the browser that is named before any other", () => {
  const path = join(mkdtempSync(join(tmpdir(), "browser-")), "my-chrome");
  writeFileSync(path, "");
  vi.stubEnv("PALIMPSEST_BROWSER", undefined);
  vi.stubEnv("CHROME_PATH", path);
  expect(findBrowser()).toBe(path);
});

it("says which name leads nowhere instead of taking another browser", () => {
  vi.stubEnv("PALIMPSEST_BROWSER", "/no/such/browser");
  expect(() => findBrowser()).toThrow("PALIMPSEST_BROWSER or CHROME_PATH is /no/such/browser");
});

it("finds a browser on the path", () => {
  const folder = mkdtempSync(join(tmpdir(), "browser-"));
  writeFileSync(join(folder, "chromium"), "");
  vi.stubEnv("PALIMPSEST_BROWSER", undefined);
  vi.stubEnv("CHROME_PATH", undefined);
  vi.stubEnv("PATH", folder);
  expect(findBrowser()).toBe(join(folder, "chromium"));
});
