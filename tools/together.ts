/** @file `npx tsx tools/together.ts SCRIPT…`: scripts of package.json side by side; what each said comes when it has ended, and all must pass. */
import { spawn } from "node:child_process";

/** The exit code of one script, after all that it said has been printed. */
function ended(script: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn("npm", ["run", "--silent", script], { shell: process.platform === "win32" });
    const said: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data: Buffer) => said.push(data));
    child.on("error", reject);
    child.on("close", (code) => {
      process.stdout.write(`\n> ${script}\n${Buffer.concat(said).toString()}`);
      resolve(code ?? 1);
    });
  });
}

const codes = await Promise.all(process.argv.slice(2).map(ended));
process.exitCode = Math.max(...codes);
