/**
 * @file `npm run bench -- parts`: how many facts of prose, notes and code come back exactly. It encodes a sample of each kind
 * and prints the share that is exact, the vectors and the steps that they took, and which last resorts produced exact facts.
 */

import { createReadStream, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { createGunzip, gunzipSync } from "node:zlib";
import { sentences } from "../../src/ingest/sentences.ts";
import { makeDocument } from "../../src/ingest/text.ts";
import { seeded } from "../../src/lib/rng.ts";
import { spread } from "../../src/lib/stats.ts";
import { encodeFacts } from "../../src/memory/encode.ts";
import { chooseLayers } from "../../src/plan/layers.ts";
import type { PlannedFact } from "../../src/records/fact.ts";
import { charOffset, documentId, factId } from "../../src/records/ids.ts";
import { byFact, type MemoryEntry } from "../../src/records/memory.ts";
import { SHARP } from "../../src/records/params.ts";
import { BUNDLED_MODEL, numberOption, openModel, runCommand, UsageError } from "../cli.ts";
import { METHOD_OPTIONS, methodParams } from "../methodOptions.ts";

const USAGE = `usage: npm run bench -- parts [options]
  --model DIR   the model (public/models/palimpsest-7m)
  --facts N     facts of each kind (200)
  --kinds A,B   prose, simple, notes, code (all)
  --data DIR    folder with world_factbook.jsonl.gz and onestopenglish_ccbysa.jsonl.gz, for the kind "simple"
  --out FILE    writes every inexact fact as JSON lines
  --set NAME=VALUE   a parameter of the method, for example start=learned or partTokens=14`;

const MIN_LENGTH = 12;

/** Sentences of the novels in data/. */
function prose(count: number): string[] {
  const files = ["data/novels", "data/books"].flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith(".gz"))
      .map((name) => join(folder, name)),
  );
  return files.flatMap((file) => {
    const text = gunzipSync(readFileSync(file)).toString("utf8").slice(20_000, 220_000);
    return spread(sentencesOf(text), Math.ceil(count / files.length));
  });
}

/** Sentences of encyclopaedic and of news texts. */
async function simple(count: number, folder: string): Promise<string[]> {
  const names = ["world_factbook.jsonl.gz", "onestopenglish_ccbysa.jsonl.gz"];
  const found: string[] = [];
  for (const name of names) {
    const texts: string[] = [];
    const lines = createInterface({ input: createReadStream(join(folder, name)).pipe(createGunzip()) });
    for await (const line of lines) {
      const row = JSON.parse(line) as { text?: string; facts?: [string, string][] };
      texts.push(row.text ?? (row.facts ?? []).map(([, value]) => value).join("\n"));
      if (texts.length >= 150) break;
    }
    found.push(...spread(texts.flatMap(sentencesOf), Math.ceil(count / names.length)));
  }
  return found;
}

const sentencesOf = (text: string): string[] =>
  [...sentences(makeDocument("bench", text))]
    .map((one) => one.text)
    .filter((one) => one.length >= MIN_LENGTH);

const NAMES = [
  "Åsa Lindqvist",
  "J. O'Brien",
  "Zoë Kühn",
  "M. van der Meer",
  "Ngozi Adeyemi",
  "Li Wei",
  "Tomás Ñúñez",
];
const STREETS = ["Rue de l'Église", "Kōenji-minami", "Hauptstraße", "N. 3rd Ave", "Calle Mayor", "Baker St"];
const GOODS = [
  "toner (black)",
  "USB-C cable, 2 m",
  "oat milk 1 l",
  "A4 paper 80 g/m²",
  "LED bulb E27 9 W",
  "hex bolts M8×40",
];

/** Notes as people keep them: prices, addresses, telephone numbers, rows with tabs. */
function notes(count: number): string[] {
  const random = seeded(7);
  const upTo = (n: number): number => Math.floor(random() * n);
  const one = (items: readonly string[]): string => items[upTo(items.length)]!;
  const price = (): string =>
    `${one(["€", "$", "£", "CHF ", "¥"])}${upTo(3000)}.${String(upTo(100)).padStart(2, "0")}`;
  const digits = (n: number): string => Array.from({ length: n }, () => upTo(10)).join("");
  const forms: readonly (() => string)[] = [
    () => `${one(GOODS)}\t${upTo(40)}\t${price()}\t${digits(2)}.${digits(2)}.2026`,
    () =>
      `${one(NAMES)}, ${one(STREETS)} ${upTo(200)}, ${digits(5)}, tel. +${digits(2)} ${digits(3)} ${digits(7)}`,
    () =>
      `Invoice #${digits(6)}: ${one(GOODS)} × ${upTo(20)} = ${price()} (incl. ${upTo(25)}% VAT), due ${upTo(28)}/${upTo(12)}.`,
    () => `- [ ] call ${one(NAMES)} re: order ${digits(4)}-${digits(4)} @ ${upTo(24)}:${digits(2)}`,
    () => `wifi: Guest_${digits(3)} / pw: ${one(["Xq", "tR", "9z"])}!${digits(4)}_${one(["kL", "#v", "$$"])}`,
  ];
  return Array.from({ length: count }, (_, i) => forms[i % forms.length]!());
}

/** Lines of this repository's own source. */
function code(count: number): string[] {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((name) =>
    /\.(tsx?|css)$/.test(name),
  );
  const lines = spread(files.sort(), 200).flatMap((name) =>
    readFileSync(join("src", name), "utf8")
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line.length >= MIN_LENGTH),
  );
  return spread(lines, count);
}

/** Figures of one kind. */
interface Row {
  readonly kind: string;
  readonly facts: number;
  readonly exact: number;
  readonly vectors: number;
  readonly tokens: number;
  readonly steps: number;
  /** Share of vectors that took no step. */
  readonly unstepped: number;
  readonly abandoned: number;
  /** Exact facts with a respelt part, and with a part at another layer than planned. */
  readonly respelt: number;
  readonly moved: number;
  readonly seconds: number;
}

const factOf = (value: string, i: number): PlannedFact["fact"] => {
  const document = documentId("bench");
  const anchor = value.match(/[A-Za-z]{3,}/)?.[0] ?? "note";
  return {
    id: factId(document, charOffset(i)),
    documentId: document,
    anchor,
    anchorOrder: i,
    index: 1,
    value,
    offset: charOffset(i),
  };
};

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      model: { type: "string", default: BUNDLED_MODEL },
      facts: { type: "string", default: "200" },
      kinds: { type: "string", default: "prose,simple,notes,code" },
      data: { type: "string" },
      out: { type: "string" },
      ...METHOD_OPTIONS,
    },
  });
  const count = numberOption("facts", values.facts, { min: 1, whole: true }) ?? 200;
  const { engine, device } = await openModel(values.model, "cpu", undefined, { threads: 1 });
  const { recorded } = engine;
  if (!recorded?.parts) throw new UsageError(`${values.model} has no probe.json; record one first`);
  const params = methodParams(values, {}, { ...SHARP, partTokens: recorded.parts.longest });
  const { layers } = chooseLayers(recorded.layers, params.layers, params.layerShare);
  const lost: string[] = [];
  for (const kind of values.kinds.split(",")) {
    const texts =
      kind === "prose"
        ? prose(count)
        : kind === "simple"
          ? await simple(count, values.data ?? "../shared/data/simple")
          : kind === "notes"
            ? notes(count)
            : code(count);
    const planned = texts
      .slice(0, count)
      .map((value, i) => ({ fact: factOf(value.trim(), i), layer: layers[i % layers.length]! }));
    const plannedLayer = new Map(planned.map(({ fact, layer }) => [fact.id, layer]));
    const began = performance.now();
    const entries: MemoryEntry[] = [];
    for await (const group of encodeFacts(engine, planned, params)) entries.push(...group);
    const facts = byFact(entries);
    const exact = facts.filter((parts) => parts.every(({ report }) => report.exact));
    const sum = (of: (entry: MemoryEntry) => number): number =>
      entries.reduce((total, entry) => total + of(entry), 0);
    const row: Row = {
      kind,
      facts: facts.length,
      exact: exact.length,
      vectors: entries.length,
      tokens: sum(({ tokens }) => tokens),
      steps: sum(({ tokens, report }) => tokens * report.steps),
      unstepped: Number((sum(({ report }) => Number(report.steps === 0)) / entries.length).toFixed(3)),
      abandoned: sum(({ report }) => report.givenUp ?? 0),
      respelt: exact.filter((parts) => parts.some(({ report }) => report.respelt)).length,
      moved: exact.filter((parts) => parts.some(({ id, layer }) => layer !== plannedLayer.get(id))).length,
      seconds: Math.round((performance.now() - began) / 1000),
    };
    console.log(JSON.stringify(row));
    const exactIds = new Set(exact.map(([first]) => first!.id));
    for (const { fact } of planned)
      if (!exactIds.has(fact.id)) lost.push(JSON.stringify({ kind, value: fact.value }));
  }
  if (values.out) writeFileSync(values.out, `${lost.join("\n")}\n`);
  await engine.dispose();
  await device.dispose();
}

await runCommand(main, USAGE);
