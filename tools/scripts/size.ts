/**
 * @file `npm run tool -- size`: what the first load of the built app weighs compressed, without the model and wasm, and what
 * comes later. First load is what index.html asks for, the fonts of English, both workers as they start, the cells that the worked example
 * shows, and what all of them import. Sizes are gzip's; the promise is kept by brotli, which servers of today speak.
 */

import { readdir, readFile, stat } from "node:fs/promises";
import { brotliCompressSync, gzipSync } from "node:zlib";

const DIST = "dist";
/** Promised for the first load, in bytes. */
const BUDGET = 300_000;

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
/** Puts `start`, and what they need, into `found`. */
function collect(start: string[], found: Set<string>): void {
  for (let file = start.pop(); file !== undefined; file = start.pop()) {
    if (found.has(file)) continue;
    found.add(file);
    start.push(...needs(file));
  }
}
/** Built files by the beginnings of their names, which end in a hash. @throws if one is missing: its size would count as 0 */
const built = (names: readonly string[]): string[] =>
  names.flatMap((name) => {
    const found = [...texts.keys()].filter((file) => baseName(file).startsWith(`${name}-`));
    if (found.length === 0) throw new Error(`size: ${DIST} has no file ${name}-*; build first`);
    return found;
  });
collect(["index.html", ...built(["library.worker", "engine.worker"])], first);
const frame = first.size;
// Both the code and the style of these cells begin with this name.
collect(built(["exampleCells"]), first);

const packed = (file: string): number => gzipSync(texts.get(file)!, { level: 9 }).length;
const show = (title: string, list: readonly string[]): void => {
  console.log(`\n${title}`);
  const rows = list.map((file) => ({ file, bytes: packed(file) })).sort((a, b) => b.bytes - a.bytes);
  for (const { file, bytes } of rows) console.log(`${kilo(bytes)}  ${file}`);
  console.log(`${kilo(rows.reduce((total, { bytes }) => total + bytes, 0))}  together`);
};
show("First load: the page and its workers", [...first].slice(0, frame));
show("First load: the cells of the worked example", [...first].slice(frame));
show(
  "When it is needed",
  [...texts.keys()].filter((file) => !first.has(file)),
);
const sum = (size: (bytes: string) => number): number =>
  [...first].reduce((all, file) => all + size(texts.get(file)!), 0);
const letters = files.filter((file) => /^fonts\/.*-core\.woff2$/.test(file));
const fonts = (await Promise.all(letters.map((file) => stat(`${DIST}/${file}`)))).reduce(
  (all, { size }) => all + size,
  0,
);
const brotli = fonts + sum((text) => brotliCompressSync(text).length);
const gzip = fonts + sum((text) => gzipSync(text, { level: 9 }).length);
console.log(`
First load: ${kilo(brotli).trim()} as brotli, ${kilo(fonts).trim()} of them fonts, ${kilo(gzip).trim()} as gzip; ${brotli <= BUDGET ? "within" : "OVER"} the ${BUDGET / 1000} KB promised.`);
if (brotli > BUDGET) process.exitCode = 1;
