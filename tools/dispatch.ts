/**
 * @file `npm run bench -- NAME …` and `npm run tool -- NAME …`: runs NAME.ts of tools/bench or tools/scripts with the remaining arguments.
 * Without a name it lists the scripts of the folder, each with the first sentence of its file comment.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Folder to npm script. */
const COMMANDS: Readonly<Record<string, string>> = { bench: "bench", scripts: "tool" };

const [, , folder = "", name, ...rest] = process.argv;
const directory = join(import.meta.dirname, folder);
const names = readdirSync(directory)
  .filter((file) => /^\w+\.ts$/.test(file))
  .map((file) => file.replace(/\.ts$/, ""));

/** The first sentence of a script's file comment, on one line. */
function summary(script: string): string {
  const [, comment = ""] =
    /@file ([^]*?)\s*\*\//.exec(readFileSync(join(directory, `${script}.ts`), "utf8")) ?? [];
  const text = comment.replace(/\s*\n \* */g, " ").replace(/^`[^`]*`: /, "");
  return /^.*?\.(?=\s|$)/.exec(text)?.[0] ?? text;
}

if (name !== undefined && names.includes(name)) {
  const script = join(directory, `${name}.ts`);
  process.argv.splice(1, Infinity, script, ...rest);
  await import(script);
} else {
  const width = Math.max(...names.map(({ length }) => length));
  const lines = names.map((one) => `  ${one.padEnd(width)}  ${summary(one)}`);
  const problem = name === undefined ? [] : [`unknown name "${name}"`];
  console.error([...problem, `Usage: npm run ${COMMANDS[folder]} -- NAME [options]`, ...lines].join("\n"));
  process.exitCode = 2;
}
