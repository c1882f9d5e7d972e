/** @file `npm run verify -- FILE`: checks a memory file completely. The exit status is 0 only if everything holds. */

import { openAsBlob } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import packageJson from "../package.json" with { type: "json" };
import { checkModel } from "../src/flow/extend.ts";
import { saidFacts } from "../src/flow/sayFacts.ts";
import { isValue } from "../src/records/digest.ts";
import { keyText } from "../src/records/fact.ts";
import { byFact, precisionOf, routingFacts, type Memory } from "../src/records/memory.ts";
import { keptMemory } from "../src/records/vectors.ts";
import { packMemory } from "../src/store/archiveFormat.ts";
import { unpackMemory } from "../src/store/archiveRead.ts";
import { piecesOf } from "../src/store/pieces.ts";
import { ECDSA, makeSigningKey, type SigningKey } from "../src/store/signing.ts";
import { verifyArchive, type Finding } from "../src/store/verifyArchive.ts";
import { choiceOption, openModel, runCommand, UsageError } from "./cli.ts";
import { unlessMissing } from "./node/fileErrors.ts";

const USAGE = `Usage: npm run verify -- FILE [options]
Checks structure, checksums, the Merkle root, deletion records and the signature of a memory file. Exit status 0: all hold.
  --say MODELDIR   also decode every fact with this model and compare it with the hash of its value
  --backend cpu|webgpu   for --say (default cpu)
  --require-signature KEY   fail unless the file is signed with this public key (hex, as --sign prints it)
  --sign KEYFILE   sign the file if everything holds; the key is made if KEYFILE does not exist. Keep KEYFILE secret.`;

const MARKS = { true: "ok   ", false: "FAIL ", null: "-    " } as const;

interface Checks {
  readonly say?: string | undefined;
  readonly backend?: "cpu" | "webgpu";
  readonly signer?: string | undefined;
}

export async function verify(
  file: string,
  { say, backend = "cpu", signer }: Checks,
): Promise<readonly Finding[]> {
  const archive = await openAsBlob(file);
  const findings = await verifyArchive(archive, file, signer);
  if (say === undefined || findings.some(({ holds }) => holds === false)) return findings;
  return [...findings, ...(await saidFindings(await unpackMemory(archive, file), say, backend))];
}

/** Decodes every fact again, without its source. Facts that were stored as inexact are counted and do not fail. */
async function saidFindings(memory: Memory, folder: string, backend: "cpu" | "webgpu"): Promise<Finding[]> {
  const precision = precisionOf(memory.model);
  const { engine, device } = await openModel(folder, backend, undefined, { precision });
  try {
    checkModel(memory, engine);
    const known = routingFacts(memory.routing);
    const said = await saidFacts(engine, keptMemory(memory), undefined, (done, total) => {
      if (process.stderr.isTTY) process.stderr.write(`\rsaid ${done} of ${total}`);
    });
    const same = new Set(
      said.flatMap(({ id, value }) => (isValue(value, known.get(id), memory.salts) ? id : [])),
    );
    const facts = byFact(memory.entries);
    const exact = facts.filter((parts) => parts.every(({ report }) => report.exact));
    const wrong = exact.filter(([first]) => !same.has(first!.id));
    const text = `${same.size} of ${facts.length} facts decode to the value of their hash; ${facts.length - exact.length} were stored as inexact.`;
    return [
      { holds: wrong.length === 0, text },
      ...wrong.map(([first]) => ({
        holds: false,
        text: `${keyText(first!)} (${first!.id}) does not decode to the value of its hash.`,
      })),
    ];
  } finally {
    await engine.dispose();
    await device.dispose();
  }
}

/** The signing key of a file, in JSON as a private JWK; it is made if the file does not exist. */
async function keyOf(file: string): Promise<SigningKey> {
  const found = await unlessMissing(readFile(file, "utf8"), null);
  if (found === null) {
    const made = await makeSigningKey(true);
    const jwk = await crypto.subtle.exportKey("jwk", made.privateKey);
    await writeFile(file, JSON.stringify({ key: made.key, jwk }), { mode: 0o600, flag: "wx" });
    return made;
  }
  const { key, jwk } = JSON.parse(found) as { readonly key: string; readonly jwk: JsonWebKey };
  return { key, privateKey: await crypto.subtle.importKey("jwk", jwk, ECDSA, false, ["sign"]) };
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      say: { type: "string" },
      backend: { type: "string", default: "cpu" },
      sign: { type: "string" },
      "require-signature": { type: "string" },
    },
  });
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw new UsageError("give one memory file");
  const { say } = values;
  const backend = choiceOption("backend", values.backend, ["cpu", "webgpu"]);
  const findings = await verify(file, { say, backend, signer: values["require-signature"] });
  for (const { holds, text } of findings) console.log(MARKS[String(holds) as keyof typeof MARKS] + text);
  if (findings.some(({ holds }) => holds === false)) {
    process.exitCode = 1;
    return;
  }
  if (values.sign === undefined) return;
  const key = await keyOf(values.sign);
  const memory = await unpackMemory(await openAsBlob(file), file);
  const signed = await packMemory(piecesOf(memory), packageJson.version, key);
  await writeFile(file, new Uint8Array(await signed.arrayBuffer()));
  console.log(`Signed. Public key: ${key.key}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runCommand(main, USAGE);
