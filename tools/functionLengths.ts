/**
 * @file How long functions are, by folder: median, 90th percentile and longest, and each that is too long.
 * Usage: npx tsx tools/functionLengths.ts [FOLDER…] [--over 80]. Tests are not counted, nor callbacks without
 * a name; a function inside another counts for itself and for the one around it.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import ts from "typescript";

interface Length {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly lines: number;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { over: { type: "string", default: "80" } },
});
const over = Number(values.over);
const folders = positionals.length > 0 ? positionals : ["src"];
const all = folders.flatMap(filesOf).flatMap(lengthsOf);

console.log("folder".padEnd(24), "functions median p90 max");
for (const [folder, lengths] of byFolder(all)) console.log(folder.padEnd(24), summary(lengths));
console.log("all".padEnd(24), summary(all));
for (const { name, file, line, lines } of all
  .filter((one) => one.lines > over)
  .sort((a, b) => b.lines - a.lines))
  console.log(`${String(lines).padStart(5)}  ${name}  ${file}:${line}`);

/** Source files below a folder, without tests. */
function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$|\/testing\//.test(name));
}

function lengthsOf(file: string): Length[] {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  const found: Length[] = [];
  const lineOf = (position: number): number => source.getLineAndCharacterOfPosition(position).line + 1;
  const walk = (node: ts.Node): void => {
    const name = ts.isFunctionLike(node) && "body" in node && node.body ? nameOf(node) : null;
    if (name !== null) {
      const line = lineOf(node.getStart(source));
      found.push({ name, file, line, lines: lineOf(node.end) - line + 1 });
    }
    ts.forEachChild(node, walk);
  };
  walk(source);
  return found;
}

/** Null for a callback without a name: it belongs to the function around it. */
function nameOf(node: ts.SignatureDeclaration): string | null {
  if (node.name) return node.name.getText();
  const { parent } = node;
  return (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent)) && parent.name
    ? parent.name.getText()
    : null;
}

/** Two levels below src: "src/ui/cells". */
function byFolder(lengths: readonly Length[]): ReadonlyMap<string, Length[]> {
  const folders = new Map<string, Length[]>();
  for (const one of lengths) {
    const folder = one.file.split("/").slice(0, -1).slice(0, 3).join("/");
    folders.set(folder, [...(folders.get(folder) ?? []), one]);
  }
  return folders;
}

function summary(lengths: readonly Length[]): string {
  const sorted = lengths.map(({ lines }) => lines).sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  return [sorted.length, at(0.5), at(0.9), at(1)].map((n) => String(n).padStart(6)).join(" ");
}
