/** @file What `npm run recall` prints: one JSON document, or the same facts for a reader. */

import { oneLine } from "../src/extract/anchorKey.ts";
import type { MemorizeReport } from "../src/flow/memorize.ts";
import { keyText } from "../src/records/fact.ts";
import type { FactId } from "../src/records/ids.ts";
import {
  shownFacts,
  shownText,
  INSTEAD,
  MARK,
  probabilityText,
  wasRead,
  type Answer,
  type DeletionCertificate,
  type PartAnswer,
  type Reconstruction,
} from "../src/records/answer.ts";
import { rowOf } from "../src/records/factRow.ts";
import { bytesOf } from "../src/records/bytes.ts";
import {
  asTop1,
  byFact,
  countFacts,
  ownRead,
  wholeReport,
  type EntryMeta,
  type Memory,
  type WholeReport,
} from "../src/records/memory.ts";
import type { MethodParams } from "../src/records/params.ts";
import { keptText, meanFidelityText } from "../src/ui/facts/words.ts";
import type { Capabilities, Ledger } from "../src/runtime/device.ts";

/** Everything one run of the command did. */
export interface RecallRun {
  readonly params: MethodParams;
  readonly capabilities: Capabilities;
  /** How tokens follow each other. */
  readonly decoding: string;
  readonly ledger: Ledger;
  readonly memory: Memory<EntryMeta>;
  /** The sentences as the model says them, if the JSON document is asked for. */
  readonly said: ReadonlyMap<FactId, string>;
  readonly memorized: MemorizeReport | undefined;
  readonly answers: readonly Answer[];
  readonly certificates: readonly DeletionCertificate[];
  readonly milliseconds: { readonly open: number; readonly total: number };
}

/** The JSON document in pieces, a line for each fact: as one string, a million words take as much memory as their vectors. */
export function* jsonReport(run: RecallRun): Generator<string> {
  yield '{\n "facts": [';
  let between = "\n";
  for (const row of factRows(run)) {
    yield `${between}  ${JSON.stringify(row)}`;
    between = ",\n";
  }
  yield `\n ],${JSON.stringify(runReport(run), null, 1).slice(1)}\n`;
}

export type RecallReport = ReturnType<typeof runReport> & { readonly facts: readonly FactRow[] };

/** The document without its facts; milliseconds are rounded, vectors are left out. */
function runReport({
  params,
  capabilities,
  decoding,
  ledger,
  memory,
  memorized,
  answers,
  certificates,
  milliseconds,
}: RecallRun) {
  const plan = memorized?.plan;
  const sum = (of: (source: Memory["sources"][number]) => number) =>
    memory.sources.reduce((n, s) => n + of(s), 0);
  return {
    params,
    model: memory.model,
    backend: { ...capabilities, decoding },
    source: {
      characters: sum((s) => s.characters),
      sentences: sum((s) => s.sentences),
      candidates: sum((s) => s.candidates),
      documents: memory.sources,
      extracted: plan?.extracted ?? null,
      retained: plan?.retained.length ?? null,
      resumed: plan?.resumed.length ?? null,
      cached: memorized?.cached ?? null,
      skipped: plan?.skipped ?? [],
      evicted: plan?.evicted.size ?? 0,
      known: plan?.known ?? [],
    },
    budget: plan?.budget ?? null,
    layers: memory.layers,
    keyToken: memory.keyToken ?? null,
    layerProbe: plan?.layerPlan?.choices ?? [],
    answers: answers.map(answerRow),
    forgotten: certificates.flatMap(forgottenRows),
    timings: {
      ...rounded(milliseconds),
      expected: memorized?.expected ? Math.round(1000 * memorized.expected) : null,
      stages: memorized ? rounded(memorized.milliseconds) : {},
      perFact: memorized ? millisecondsPerFact(memorized) : null,
    },
    memory: memorySize(memory, ledger),
  };
}

/** Time of the whole run, reading and index included, per encoded fact; null if no fact was encoded. */
function millisecondsPerFact({ plan, milliseconds }: MemorizeReport): number | null {
  const facts = plan.planned.length;
  return facts > 0 ? Math.round((10 * sum(milliseconds)) / facts) / 10 : null;
}

type FactRow = ReturnType<typeof factRow>;

function* factRows({ memory, params, said }: RecallRun): Generator<FactRow> {
  const both = byFact(memory.entries);
  for (const [i, parts] of byFact(ownEntries(memory, params)).entries())
    yield factRow(parts, both[i]!, said.get(parts[0]!.id) ?? null);
}

/** `exact` and `fidelity` are the results of the read that the memory uses; with the soft read's verdict at hand, both reads' are named. */
function factRow(parts: readonly EntryMeta[], both: readonly EntryMeta[], value: string | null) {
  const { anchor, index, offset, layer, tokens, steps, givenUp, exact, fidelity, deltaNorm, margin } =
    rowOf(parts);
  return {
    anchor,
    index,
    key: keyText({ anchor, index }),
    value,
    offset,
    layer,
    tokens,
    steps,
    givenUp: givenUp ?? null,
    exact,
    fidelity,
    deltaNorm,
    margin,
    ...readsOf(both),
    parts: parts.map(({ part, start: place, layer: at, tokens: length, report }) => ({
      part,
      place,
      tokens: length,
      steps: report.steps,
      exact: ownRead(report).exact,
      layer: at,
      start: report.started ?? "zero",
    })),
  };
}

/** The entries as the memory is read now. */
const ownEntries = ({ entries }: Memory<EntryMeta>, { read }: MethodParams): readonly EntryMeta[] =>
  read === "soft" ? entries : entries.map(asTop1);

/** The results of both reads for a fact; empty if the soft read was not run. */
function readsOf(parts: readonly EntryMeta[]) {
  if (!parts.some(({ report }) => report.soft)) return {};
  const verdict = ({ exact, fidelity }: WholeReport) => ({ exact, fidelity });
  return { reads: { top1: verdict(wholeReport(parts.map(asTop1))), soft: verdict(wholeReport(parts)) } };
}

const evidenceRow = ({ key, text, exact }: Reconstruction) => ({ key, text, exact });

/** The sentence shown as the answer, with the characters of it that are marked; null if none is shown. */
function bestRow({ best }: PartAnswer, { recalled }: Answer) {
  const fact = best && recalled.find(({ id }) => id === best.id);
  return fact ? { key: fact.key, text: fact.text, span: best.span } : null;
}

/** The probability or the reader's confidence from which words are shown. */
const levelOf = ({ reader }: PartAnswer, { settings }: Answer): number =>
  reader?.level ?? settings.answerLevel;

const answerRow = (answer: Answer) => ({
  question: answer.question,
  route: answer.route.anchors,
  moreAnchors: answer.route.more ?? 0,
  recalled: answer.recalled.map(recalledRow),
  asked: answer.asked.map((part) => ({
    question: part.question,
    verdict: part.verdict,
    headline: shownText(part, answer),
    best: bestRow(part, answer),
    said: part.text,
    probability: part.probability,
    level: levelOf(part, answer),
    cited: part.cited,
    evidence: shownFacts(part, answer).map(evidenceRow),
    unmet: part.unmet,
    leftOut: part.leftOut ?? [],
  })),
  evidence: [...new Set(answer.asked.flatMap((part) => shownFacts(part, answer)))].map(evidenceRow),
  best: answer.asked.map((part) => bestRow(part, answer)).find((row) => row !== null) ?? null,
  answer: answer.text,
  cited: answer.cited,
  notInMemory: answer.notInMemory,
  milliseconds: rounded(answer.milliseconds),
});

const recalledRow = ({ key, text, exact, layer, read }: Reconstruction) => ({
  key,
  text,
  exact,
  layer,
  similarity: read.similarity,
  gateOpen: read.gateOpen,
  weights: read.competitors,
  openPositions: read.openPositions,
});

const forgottenRows = ({ keys, before, after, cached, compared, retained, changed }: DeletionCertificate) =>
  keys.map((key, i) => ({
    key,
    before: before[i]!.text,
    after: after[i]!.text,
    gateOpen: after[i]!.gateOpen,
    ...(cached && { cached }),
    compared,
    retained,
    changed,
  }));

function memorySize(memory: Memory<EntryMeta>, ledger: Ledger) {
  const { dModel, dFf } = memory.model;
  const scalars = memory.entries.length * (dModel + dFf);
  const bytes = bytesOf(memory);
  return {
    facts: countFacts(memory.entries),
    vectors: memory.entries.length,
    anchors: memory.routing.length,
    layers: memory.layers.length,
    scalars,
    vectorBytes: bytes.vectors,
    /** Of the text that is gone, the keys and residuals, the routing index (and its words), and of one fact. */
    bytes: { ...bytes, perFact: Math.round(bytes.perFact) },
    deviceBytes: ledger.total,
    devicePeakBytes: ledger.peak,
    processBytes: process.memoryUsage().rss,
  };
}

const rounded = <T extends Readonly<Record<string, number>>>(values: T): T =>
  Object.fromEntries(Object.entries(values).map(([k, v]) => [k, Math.round(v)])) as T;

/** The same for a reader, on stdout. */
export function printReport(run: RecallRun): void {
  const { memory, memorized, answers, certificates } = run;
  const { facts, bytes: size } = memorySize(memory, run.ledger);
  const reports = byFact(ownEntries(memory, run.params)).map(wholeReport);
  const exact = reports.filter((report) => report.exact).length;
  const mean = reports.reduce((n, { fidelity }) => n + fidelity, 0) / facts;
  const titles = memory.sources.map(({ title }) => title).join(", ");
  console.log(
    facts === 0
      ? "\nThe memory is empty."
      : `\n${counted(facts, "fact")} under ${counted(memory.routing.length, "anchor")} from ${titles}.\n` +
          `${exact} of ${facts} exact, mean fidelity ${meanFidelityText(mean, exact, facts)}, layers ${memory.layers.join(" ")}.\n` +
          `${capital(keptText(size))}.`,
  );
  if (memorized) printMemorized(memorized);
  for (const certificate of certificates) printCertificate(certificate);
  for (const answer of answers) printAnswer(answer);
}

function printMemorized({ plan, milliseconds, expected, cached }: MemorizeReport): void {
  const { known, skipped, extracted, evicted } = plan;
  const [retained, resumed] = [plan.retained.length, plan.resumed.length];
  if (resumed > 0) console.log(`${counted(resumed, "fact")} that an interrupted run had left were encoded.`);
  for (const title of known) console.log(`${title} was memorised before and is not read again.`);
  const budget = retained < extracted ? `; the budget kept ${retained} of ${extracted} facts` : "";
  const forecast = expected === null ? "" : `, where ${seconds(1000 * expected)} were expected`;
  if (retained + resumed > 0) console.log(`Memorised in ${seconds(sum(milliseconds))}${forecast}${budget}.`);
  if (cached > 0) console.log(`${counted(cached, "fact")} of ${retained + resumed} came from the cache.`);
  if (evicted.size > 0) console.log(`${counted(evicted.size, "older fact")} made room for later ones.`);
  for (const { value, why } of skipped) console.log(`Left out, too long: "${short(value)}" (${why})`);
}

function printCertificate(certificate: DeletionCertificate): void {
  const { before, after, cached, compared, retained = compared, changed } = certificate;
  console.log("\nDeleted");
  for (const [i, { key, text }] of before.entries())
    console.log(
      `  ${key}\n    before  ${oneLine(text)}\n    after   ${oneLine(after[i]!.text)}${after[i]!.gateOpen ? "   (its key is gone; the nearest one left is another fact's)" : ""}`,
    );
  const which =
    retained > compared
      ? `${compared} of ${counted(retained, "retained fact")}`
      : counted(compared, "retained fact");
  console.log(`  ${which} recalled before and after: ${changed} changed`);
  if (cached)
    console.log(
      `  ${counted(cached.removed, "row")} removed from the cache; a search of it for their words, prompts and vectors finds ${cached.left}`,
    );
}

function printAnswer(answer: Answer): void {
  const parts = answer.asked;
  console.log(`\n${answer.question}`);
  for (const part of parts) printPart(answer, part, parts.length > 1);
  for (const fact of answer.recalled.filter((one) => !wasRead(one)))
    console.log(`    ${fact.key.padEnd(22)} its gate stayed shut`);
  console.log(`    ${seconds(sum(answer.milliseconds))}`);
}

/** The short answer as far as it is supported, and under it every recalled sentence, nearest to the question first. */
function printPart(answer: Answer, part: PartAnswer, named: boolean): void {
  const { verdict, cited, probability, best } = part;
  const rests = !best && INSTEAD[verdict] === null && cited.length > 0 ? `   [${cited.join(", ")}]` : "";
  const sure =
    probability === null
      ? ""
      : `   probability ${probabilityText(probability)}, shown from ${levelOf(part, answer).toFixed(2)}`;
  const doubt = MARK[verdict] ? `   (${MARK[verdict]})` : "";
  if (named) console.log(`  ${part.question}`);
  console.log(`  ${shownText(part, answer)}${rests}${doubt}${sure}`);
  for (const { key, text, exact, read } of shownFacts(part, answer))
    console.log(
      `    ${key.padEnd(22)} ${read.similarity.toFixed(2)}  ${oneLine(text)}${exact === false ? "   (not word for word)" : ""}`,
    );
  if (part.leftOut) console.log(`    no room in the model's window for ${part.leftOut.join(", ")}`);
}

const sum = (values: Readonly<Record<string, number>>): number =>
  Object.values(values).reduce((a, b) => a + b, 0);
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const counted = (n: number, what: string): string => `${n} ${what}${n === 1 ? "" : "s"}`;
const short = (text: string): string => (text.length > 60 ? `${oneLine(text.slice(0, 59))}…` : oneLine(text));
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
