/**
 * @file `npm test [-- STAGE …]`: format, types, lint, unit and browser tests. Names of stages run these alone; arguments
 * after a second `--` go to the last stage: `npm test -- browser -- e2e/app.shell.spec.ts`. With `thorough` before the
 * names, tests that search at random or try many cases make many rounds instead of few, and browser tests named
 * "@thorough" run as well (src/lib/testing/thorough.ts).
 */

import { spawn } from "node:child_process";

/** Version 7 checks in a sixth of the time; it has no interface for code, so `typescript` is 6 (tools/structure.test.ts). */
const TSC = "tsx node_modules/typescript-7/bin/tsc";

/** The commands of each stage, one after the other. `fast`: types of the main project and the unit tests that open no model. */
const STAGES: Readonly<Record<string, readonly string[]>> = {
  format: ["oxfmt --check"],
  types: ["", ".pure", ".worker"].map((name) => `${TSC} -p tsconfig${name}.json`),
  lint: ["oxlint"],
  unit: ["vitest run"],
  fast: [`${TSC} -p tsconfig.json`, "vitest run --project light"],
  browser: ["tsx tools/browserTests.ts"],
};

/** Stages that run side by side, group after group. */
const ALL = [["format", "types", "lint"], ["unit"], ["browser"]];

/** Runs a stage; its output is shown as it comes (`live`) or when the stage has ended. Resolves to the exit code. */
async function run(stage: string, args: readonly string[], live: boolean): Promise<number> {
  for (const command of STAGES[stage]!) {
    const code = await new Promise<number>((resolve, reject) => {
      const child = spawn("npx", [...command.split(" "), ...args], {
        shell: process.platform === "win32",
        stdio: live ? "inherit" : "pipe",
      });
      const output: Buffer[] = [];
      for (const stream of [child.stdout, child.stderr])
        stream?.on("data", (data: Buffer) => output.push(data));
      child.on("error", reject);
      child.on("close", (status) => {
        if (!live) process.stdout.write(`\n> ${stage}\n${Buffer.concat(output).toString()}`);
        resolve(status ?? 1);
      });
    });
    if (code !== 0) return code;
  }
  return 0;
}

const given = process.argv.slice(2);
const split = given.includes("--") ? given.indexOf("--") : given.length;
const [words, args] = [given.slice(0, split), given.slice(split + 1)];
if (words.includes("thorough")) process.env["PALIMPSEST_THOROUGH"] = "1";
const names = words.filter((word) => word !== "thorough");
const unknown = names.find((name) => !(name in STAGES));
if (unknown !== undefined) {
  console.error(`unknown stage "${unknown}"; expected any of: thorough, ${Object.keys(STAGES).join(", ")}`);
  process.exit(2);
}
const groups = names.length === 0 ? ALL : names.map((name) => [name]);
for (const group of groups) {
  const last = group.length - 1;
  const codes = await Promise.all(group.map((stage, i) => run(stage, i === last ? args : [], i === last)));
  process.exitCode = Math.max(...codes);
  if (process.exitCode !== 0) break;
}
