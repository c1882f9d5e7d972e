/**
 * @file `npx tsx tools/together.ts SCRIPT…`: scripts of package.json side by side, all of which must pass. The last one
 * speaks as it goes; what the others said comes when they have ended.
 */
import { spawn } from "node:child_process";

/** The exit code of one script; where it is not the last, after all that it said has been printed. */
function ended(script: string, i: number, all: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const last = i === all.length - 1;
    const child = spawn("npm", ["run", "--silent", script], {
      shell: process.platform === "win32",
      stdio: last ? "inherit" : "pipe",
    });
    const said: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (data: Buffer) => said.push(data));
    child.on("error", reject);
    child.on("close", (code) => {
      if (!last) process.stdout.write(`\n> ${script}\n${Buffer.concat(said).toString()}`);
      resolve(code ?? 1);
    });
  });
}

const codes = await Promise.all(process.argv.slice(2).map(ended));
process.exitCode = Math.max(...codes);
