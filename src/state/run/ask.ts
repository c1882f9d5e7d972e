/** @file Runs on a stored memory: questions, probes, deletions with a certificate, and facts that are encoded once more. */

import { assert, present } from "../../lib/assert.ts";
import type { Core } from "../core.ts";
import {
  changeCells,
  markChanged,
  presentId,
  renameFacts,
  SAID_AT_ONCE,
  tell,
  refreshMemory,
} from "../memory.ts";
import { flowReporter, type RunContext } from "../runs.ts";
import { shownParts, shownText } from "../../records/answer.ts";
import { judge, type StoredSentence } from "../../records/judge.ts";
import type { AskedQuestion, SetQuestion, Reencoding, Stamp } from "../../records/notebook.ts";
import { ensureModel, ensureEngine } from "./model.ts";
import { knownValue } from "../../records/factRow.ts";
import { charOffset, documentOf, factId, newEdition, type FactId } from "../../records/ids.ts";
import type { ReencodeArgument } from "../../service/runs/runs.ts";
import { many } from "../../lib/format.ts";
import type { EngineService } from "../../service/engineService.ts";
import type { Progress } from "../../records/progress.ts";
import type { Call } from "../../rpc/wire.ts";
import type { OpenModel } from "../../service/types.ts";
import { keyText } from "../../records/fact.ts";

/** Questions a cell remembers; older ones are let go, so that a notebook file stays readable. */
const LONGEST_HISTORY = 50;

export async function runAsk(context: RunContext): Promise<void> {
  const { question } = context.core.cellOf(context.cellId, "ask").input;
  assert(question.trim() !== "", () => "The question is empty. Write one, and run again.");
  await ensureEngine(context);
  await askOne(context, question, context.since);
}

/** Asks every question that the cell has answered, in the order in which they were asked, and the one in its box. */
export async function runAskAll(context: RunContext): Promise<void> {
  const { core, cellId } = context;
  const { input, output } = core.cellOf(cellId, "ask");
  const earlier = (output?.history ?? []).map(({ answer }) => answer.question).reverse();
  await ensureEngine(context);
  for (const question of new Set([...earlier.filter((one) => one !== input.question), input.question]))
    if (question.trim() !== "") await askOne(context, question, core.deps.now(), true);
}

/** Asks one question. With `replace` its earlier answers go. */
async function askOne(context: RunContext, question: string, since: number, replace = false): Promise<void> {
  const { core, cellId, signal, report } = context;
  const { params: settings } = core.cellOf(cellId, "ask").input;
  report({ kind: "text", text: "", question });
  const memory = core.memoryId(cellId);
  const answer = await core.engine.ask(
    { memory, question, settings },
    {
      signal,
      onProgress: (progress) => report({ kind: "text", ...progress, question }),
    },
  );
  // The settings of the question can change a sentence. Then it is not what the memory's own settings recall.
  const told = answer.recalled.filter(({ exact }) => exact);
  tell(core, memory, told);
  core.putOutput<"ask">(cellId, ({ output }) => {
    const entry = { answer, stamp: core.stamp(cellId, since) };
    const earlier = (output?.history ?? []).filter(
      (one) => !replace || one.answer.question.trim() !== question.trim(),
    );
    return { history: [entry, ...earlier].slice(0, LONGEST_HISTORY), stamp: entry.stamp };
  });
}

/** Runs a cell remembers: enough to see what a change did. */
const LONGEST_RUN_LIST = 8;

export async function runQuestions(context: RunContext): Promise<void> {
  const { core, cellId, signal, report } = context;
  const { text, params } = core.cellOf(cellId, "questions").input;
  // Brings the reader of tables, which the first load of the page leaves out.
  const { readQuestionSet } = await import("../../notebook/questionSet.ts");
  const { questions, problem } = readQuestionSet(text);
  assert(problem === null, () => problem ?? "");
  assert(questions.length > 0, () => "There is no question yet. Paste or drop some, and run again.");
  await ensureEngine(context);
  const stored = await storedSentences(context);
  const asked: AskedQuestion[] = [];
  try {
    for (const [done, question] of questions.entries()) {
      signal.throwIfAborted();
      report({ kind: "count", note: question.ask, done, total: questions.length });
      asked.push(await askQuestion(context, question, stored));
    }
  } finally {
    if (asked.length > 0)
      core.putOutput<"questions">(cellId, ({ output }) => {
        const made = core.stamp(cellId, context.since);
        const run = { questions: asked, settings: params, facts: stored.length, stamp: made };
        return { runs: [run, ...(output?.runs ?? [])].slice(0, LONGEST_RUN_LIST), stamp: made };
      });
  }
}

async function askQuestion(
  { core, cellId, signal }: RunContext,
  question: SetQuestion,
  stored: readonly StoredSentence[],
): Promise<AskedQuestion> {
  const { params: settings } = core.cellOf(cellId, "questions").input;
  const answer = await core.engine.ask(
    { memory: core.memoryId(cellId), question: question.ask, settings },
    { signal },
  );
  const { answers } = question;
  const { route, recall, answer: answering } = answer.milliseconds;
  return {
    ...question,
    said: answer.asked.map((part) => shownText(part, answer)),
    cited: [...new Set(shownParts(answer).flatMap(({ cited }) => cited))],
    judged: answers && judge(answer, { ...question, answers }, stored),
    milliseconds: Math.round(route + recall + answering),
  };
}

async function storedSentences({ core, cellId, signal, report }: RunContext) {
  const memory = core.memoryId(cellId);
  const rows = await core.library.facts({ memory });
  const { currentId, memory: shown } = core.state;
  const said = new Map(currentId === memory ? shown.said : []);
  const rest = rows.filter(({ id }) => !said.has(id)).map(({ id }) => id);
  for (let done = 0; done < rest.length; done += SAID_AT_ONCE) {
    signal.throwIfAborted();
    report({ kind: "count", note: "Facts read back", done, total: rest.length });
    const ids = rest.slice(done, done + SAID_AT_ONCE);
    const recalled = await core.engine.recall({ memory, ids });
    for (const { id, text } of recalled) said.set(id, text);
    tell(core, memory, recalled);
  }
  return rows.map(({ id }) => ({
    id,
    value: present(said.get(id), () => `state: the fact ${id} has no row`),
  }));
}

export async function runProbe(context: RunContext): Promise<void> {
  const { core, cellId, signal, since } = context;
  const { params, layers } = core.cellOf(cellId, "probe").input;
  await ensureModel(context);
  const plan = await core.engine.probe({ params, layers }, { signal, onProgress: flowReporter(context) });
  core.putOutput<"probe">(cellId, () => ({ ...plan, stamp: core.stamp(cellId, since) }));
}

export async function runStore({ core, cellId }: RunContext): Promise<void> {
  const facts = await core.library.facts({ memory: core.memoryId(cellId) });
  const there = new Set(facts.map(({ id }) => id));
  dropReencodings(core, cellId, (id) => !there.has(id));
  await refreshMemory(core);
}

/** Takes the changes of facts that are `gone` out of the memory cells, also out of removed ones. */
function dropReencodings(core: Core, cellId: string, gone: (id: FactId) => boolean): void {
  const notebook = core.notebookOfCell(cellId)?.id;
  if (!notebook) return;
  changeCells(core, notebook, (cell) => {
    if (cell.kind !== "store" || !cell.output?.reencodings) return cell;
    const reencodings = cell.output.reencodings.filter(({ id }) => !gone(id));
    return reencodings.length === cell.output.reencodings.length
      ? cell
      : { ...cell, output: { ...cell.output, reencodings } };
  });
}

const ASKED = {
  before: "Recalled before the deletion",
  after: "Recalled after it and compared",
  others: "Checked the soft read",
} as const;

export async function runForget(context: RunContext, given: readonly FactId[]): Promise<void> {
  const { core, cellId, since, signal, report } = context;
  try {
    await ensureEngine(context);
    report({ kind: "note", note: "Asking for the facts before and after, and comparing what stays" });
    const memory = core.memoryId(cellId);
    const ids = given.map((id) => presentId(core, id));
    const { certificate, renamed } = await core.engine.forget(
      { memory, ids },
      {
        signal,
        onProgress: ({ stage, done, total }) => report({ kind: "count", note: ASKED[stage], done, total }),
      },
    );
    core.putOutput<"store">(cellId, ({ output }) => {
      const made = core.stamp(cellId, since);
      const certificates = [{ certificate, stamp: made }, ...(output?.certificates ?? [])];
      return { ...output, certificates, stamp: made };
    });
    dropReencodings(core, cellId, (id) => ids.includes(id));
    // Answers name a deleted fact by an id that does not have its place.
    const gone = ids.map((id) => [id, factId(newEdition(documentOf(id)), charOffset(0))] as const);
    renameFacts(core, memory, new Map([...renamed, ...gone]));
  } finally {
    // Deleted or not, the page shows the present content of the store.
    await refreshMemory(core);
  }
}

/** Moves the memory to the model of the model cell; `from` is the model that the memory belongs to. */
export const runCarryOver = (context: RunContext, from: OpenModel): Promise<void> =>
  runSaid(context, "carried over", (engine, memory, call) => engine.carryOver({ memory, from }, call));

/** Encodes facts of the memory file `archive` that a merge could not add. */
export const runTakeIn = (context: RunContext, archive: Blob, ids: readonly FactId[]): Promise<void> =>
  runSaid(context, "encoded again", (engine, memory, call) => engine.takeIn({ memory, archive, ids }, call));

/** A run that writes facts which a model said; the notice has their number and the keys of those that differ from their source. */
async function runSaid(
  context: RunContext,
  done: string,
  write: (engine: EngineService, memory: string, call: Call<Progress>) => ReturnType<EngineService["takeIn"]>,
): Promise<void> {
  const { core, cellId, signal } = context;
  await ensureEngine(context);
  const call = { signal, onProgress: flowReporter(context) };
  const { encoded, exact, inexact } = await write(core.engine, core.memoryId(cellId), call);
  const lines = [`${many(encoded, "fact")} ${done}, ${exact} of them exact.`];
  if (inexact.length > 0)
    lines.push(
      `Their model did not say ${inexact.length} of them word for word, and the words that it said are stored now: ${inexact.slice(0, SHOWN).join(", ")}${inexact.length > SHOWN ? " …" : "."}`,
    );
  core.set({ notice: lines.join(" ") });
  await refreshMemory(core);
}

const SHOWN = 10;

/** Encodes a fact once more: with another value, at another layer, or as it is; a store cell keeps that it was. */
export async function runReencode(
  context: RunContext,
  given: Omit<ReencodeArgument, "memory">,
): Promise<void> {
  const { core, cellId, since, signal } = context;
  const change = { ...given, id: presentId(core, given.id) };
  const memory = core.memoryId(cellId);
  const { currentId, memory: shown } = core.state;
  const rows = (currentId === memory ? shown.facts : null) ?? (await core.library.facts({ memory }));
  const before = rows.find(({ id }) => id === change.id);
  const said = before && currentId === memory ? knownValue(before, shown.said.get(change.id)) : null;
  await ensureEngine(context);
  const { layer, exact, fidelity, steps } = await core.engine.reencode(
    { memory, ...change },
    { signal, onProgress: flowReporter(context) },
  );
  if (before) {
    const made: Reencoding = {
      id: before.id,
      key: keyText(before),
      before: { value: said, layer: before.layer },
      after: { value: change.value ?? said, layer, exact, fidelity, steps },
    };
    keepReencoding(core, cellId, made, core.stamp(cellId, since));
  }
  if (change.value !== undefined) markChanged(core, memory, change.id);
  if (exact && change.value !== undefined) tell(core, memory, [{ id: change.id, text: change.value.trim() }]);
  await refreshMemory(core);
}

/** The oldest go first: a notebook that grew with every change would be slow to save. */
const LONGEST_CHANGES = 500;

function keepReencoding(core: Core, cellId: string, made: Reencoding, at: Stamp): void {
  const cells = core.notebookOfCell(cellId)?.cells ?? [];
  const store =
    cells.find(({ id, kind }) => id === cellId && kind === "store") ??
    cells.find(({ kind }) => kind === "store");
  if (!store) return;
  core.putOutput<"store">(store.id, ({ output }) => ({
    certificates: [],
    ...output,
    reencodings: [{ ...made, stamp: at }, ...(output?.reencodings ?? [])].slice(0, LONGEST_CHANGES),
    stamp: at,
  }));
}
