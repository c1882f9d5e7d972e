/**
 * @file `npm run tool -- attacks`: makes every attack of docs/security.md, with many rounds, in Node and in Chromium,
 * and prints a table of the results. `--node` leaves out the browser.
 */

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ATTACK_CLASSES, type AttackClass, type AttackRecord } from "../../src/lib/testing/attackLog.ts";
import { commit } from "../commit.ts";

const HEAD = [
  "class",
  "attacks",
  "faults found",
  "facts aimed at",
  "lost",
  "longest",
  "most memory",
] as const;

function run(records: string, ...command: readonly string[]): Promise<number> {
  const child = spawn("npx", [...command], {
    stdio: "inherit",
    shell: process.platform === "win32",
    env: { ...process.env, PALIMPSEST_ATTACKS: records, PALIMPSEST_THOROUGH: "1" },
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code) => resolve(code ?? 1));
  });
}

const sum = (records: readonly AttackRecord[], of: (record: AttackRecord) => number): number =>
  records.reduce((total, record) => total + of(record), 0);
const most = (records: readonly AttackRecord[], of: (record: AttackRecord) => number): number =>
  records.reduce((top, record) => Math.max(top, of(record)), 0);

/** One line of the table; of no class: all of them. */
function line(name: AttackClass | "all", records: readonly AttackRecord[]): string {
  const bytes = most(records, (record) => record.bytes ?? 0);
  const cells = [
    name,
    records.length,
    records.filter(({ fault }) => fault !== undefined).length,
    sum(records, ({ facts }) => facts),
    sum(records, ({ lost }) => lost),
    `${(most(records, ({ milliseconds }) => milliseconds) / 1000).toFixed(1)} s`,
    bytes === 0 ? "" : `${Math.round(bytes / 1e6)} MB`,
  ];
  return `| ${cells.join(" | ")} |`;
}

/** The table in Markdown. */
function table(records: readonly AttackRecord[]): string {
  const rows = ATTACK_CLASSES.map(
    (kind) => [kind, records.filter((record) => record.kind === kind)] as const,
  );
  return [
    `| ${HEAD.join(" | ")} |`,
    `|---|${"---:|".repeat(HEAD.length - 1)}`,
    ...rows.filter(([, of]) => of.length > 0).map(([kind, of]) => line(kind, of)),
    line("all", records),
  ].join("\n");
}

async function main(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-attacks-"));
  const file = join(folder, "records.jsonl");
  try {
    const codes = [await run(file, "vitest", "run", "attacks")];
    if (!process.argv.includes("--node"))
      codes.push(await run(file, "tsx", "tools/browserTests.ts", "e2e/attacks", "--project", "wasm"));
    const records = readFileSync(file, "utf8")
      .split("\n")
      .filter((text) => text !== "")
      .map((text) => JSON.parse(text) as AttackRecord);
    const day = new Date().toISOString().slice(0, 10);
    console.log(`\n${table(records)}\n\nCommit ${commit() ?? "unknown"}, ${day}, Node ${process.version}.`);
    return Math.max(...codes);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

process.exitCode = await main();
