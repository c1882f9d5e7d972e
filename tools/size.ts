/**
 * @file `npm run size`: what the first load of the built app weighs compressed (gzip), without the model and wasm, and
 * what comes later. First load is what index.html asks for, what those files import, and the library worker.
 */

import { readdir, readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";

const DIST = "dist";
/** Promised for the first load, in bytes. */
const BUDGET = 350_000;

const kilo = (bytes: number): string => `${(bytes / 1000).toFixed(1).padStart(9)} KB`;

const files = (await readdir(DIST, { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile())
  .map((entry) => `${entry.parentPath}/${entry.name}`.slice(DIST.length + 1));
const texts = new Map(
  await Promise.all(
    files
      .filter((file) => /\.(html|m?js|css)$/.test(file))
      .map(async (file) => [file, await readFile(`${DIST}/${file}`, "utf8")] as const),
  ),
);
const baseName = (file: string): string => file.slice(file.lastIndexOf("/") + 1);

/** Files that `file` needs before it runs: static imports, and the tags of the page. */
function needs(file: string): string[] {
  const text = texts.get(file) ?? "";
  const names = file.endsWith(".html")
    ? [...text.matchAll(/(?:src|href)="\/?([^"]+\.(?:js|css))"/g)].map(([, name]) => baseName(name!))
    : [...text.matchAll(/(?:\bfrom|\bimport)\s*"\.\/([^"]+)"/g)].map(([, name]) => baseName(name!));
  return [...texts.keys()].filter((known) => names.includes(baseName(known)));
}

const first = new Set<string>();
const engine = new Set<string>();
/** Puts `start`, and what they need, into `found`. */
function collect(start: string[], found: Set<string>): void {
  for (let file = start.pop(); file !== undefined; file = start.pop()) {
    if (found.has(file)) continue;
    found.add(file);
    start.push(...needs(file));
  }
}
const worker = (name: string): string[] =>
  [...texts.keys()].filter((file) => file.includes(`${name}.worker-`));
collect(["index.html", ...worker("library")], first);
collect(worker("engine"), engine);

const packed = (file: string): number => gzipSync(texts.get(file)!, { level: 9 }).length;
const show = (title: string, list: readonly string[]): number => {
  console.log(`\n${title}`);
  const rows = list.map((file) => ({ file, bytes: packed(file) })).sort((a, b) => b.bytes - a.bytes);
  for (const { file, bytes } of rows) console.log(`${kilo(bytes)}  ${file}`);
  const sum = rows.reduce((total, { bytes }) => total + bytes, 0);
  console.log(`${kilo(sum)}  together`);
  return sum;
};
const total = show("First load", [...first]);
const soon = show("A second later, in the background: the engine", [...engine]);
show(
  "When it is needed",
  [...texts.keys()].filter((file) => !first.has(file) && !engine.has(file)),
);
console.log(`
${total <= BUDGET ? "Within" : "OVER"} the ${BUDGET / 1000} KB promised for the first load; ${kilo(total + soon).trim()} with the engine.`);
if (total > BUDGET) process.exitCode = 1;
