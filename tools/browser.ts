/** @file Finds a Chromium for the browser tests, or installs one where that is possible without asking. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { chromium } from "@playwright/test";

/** The path of a Chromium, or undefined; the first of `names` that is installed. */
export function findBrowser(names: readonly string[] = NAMES): string | undefined {
  const named = process.env["PALIMPSEST_BROWSER"] ?? process.env["CHROME_PATH"];
  if (named) {
    if (existsSync(named)) return named;
    throw new Error(`browser: PALIMPSEST_BROWSER or CHROME_PATH is ${named}, and there is no such file`);
  }
  return [...onPath(names), ...usualPlaces(names), playwrightsOwn()].find(
    (path) => path !== "" && existsSync(path),
  );
}

/**
 * The path of Chromium's headless shell if it is installed, because it takes a fifth less processor time; otherwise of
 * any Chromium. It is for wasm: the pages of a recorded WebGPU step crashed in it (156, SwiftShader).
 */
export const findLightBrowser = (): string | undefined => findBrowser([HEADLESS, ...NAMES]);

/** The path of a Chromium; installs one if none is found. The error of a failed installation names the next step. */
export function ensureBrowser(): string {
  const found = findBrowser();
  if (found) return found;
  const tried = process.platform === "linux" && process.getuid?.() === 0 && has("apt-get") ? apt() : "";
  const installed = findBrowser();
  if (installed) return installed;
  const second = run("npx", ["playwright", "install", "chromium"]);
  const downloaded = findBrowser();
  if (downloaded) return downloaded;
  throw new Error(
    "browser: no Chromium found, and none could be installed.\n" +
      [tried, second].filter(Boolean).join("\n") +
      "\nInstall Google Chrome or Chromium (Debian, Ubuntu: `apt-get install chromium`; " +
      "macOS: `brew install --cask google-chrome`), or set PALIMPSEST_BROWSER to its executable.",
  );
}

function apt(): string {
  const update = run("apt-get", ["update", "-qq"]);
  const install = (name: string) => run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", name]);
  const chromium = install("chromium");
  // Only Debian has it; tests take longer without.
  if (!chromium) install(HEADLESS);
  return [update, chromium].filter(Boolean).join("\n");
}

/** Runs a command with its output on stderr; returns "" or what went wrong. */
function run(command: string, args: readonly string[]): string {
  console.error(`browser: ${command} ${args.join(" ")}`);
  const result = spawnSync(command, args, {
    stdio: ["ignore", 2, 2],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    timeout: INSTALL_TIMEOUT_MS,
    shell: process.platform === "win32",
  });
  if (result.status === 0) return "";
  return `\`${command} ${args.join(" ")}\` failed: ${result.error?.message ?? `exit ${String(result.status)}`}`;
}

function onPath(names: readonly string[]): string[] {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name)));
}

function has(command: string): boolean {
  return (process.env["PATH"] ?? "").split(delimiter).some((folder) => existsSync(join(folder, command)));
}

function usualPlaces(names: readonly string[]): string[] {
  if (process.platform === "darwin")
    return ["/Applications", join(homedir(), "Applications")].flatMap((folder) =>
      ["Google Chrome", "Chromium", "Microsoft Edge"].map((app) =>
        join(folder, `${app}.app/Contents/MacOS/${app}`),
      ),
    );
  if (process.platform === "win32")
    return ["PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"]
      .flatMap((name) => process.env[name] ?? [])
      .flatMap((folder) => [
        join(folder, "Google/Chrome/Application/chrome.exe"),
        join(folder, "Microsoft/Edge/Application/msedge.exe"),
      ]);
  return names.map((name) => join("/usr/bin", name));
}

/** Where Playwright would have put its own browser. */
function playwrightsOwn(): string {
  try {
    return chromium.executablePath();
  } catch {
    return "";
  }
}

/** Debian's Chromium that can do nothing but this. */
const HEADLESS = "chromium-headless-shell";
const NAMES = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "google-chrome-beta"];
const INSTALL_TIMEOUT_MS = 5 * 60_000;

/** Flags of a browser that shows no window and asks nothing of a network by itself. */
export const QUIET: readonly string[] = [
  "--headless=new",
  "--no-sandbox",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
