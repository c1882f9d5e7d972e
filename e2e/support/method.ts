/** @file Both phases of the method on one engine, as a summary that can be compared across backends. */
import type { Engine } from "../../src/engine/engine.ts";
import { answer, openMemory } from "../../src/flow/answer.ts";
import type { FlowContext } from "../../src/flow/context.ts";
import { findKey } from "../../tools/findKey.ts";
import { forget } from "../../src/flow/forget.ts";
import { memorize } from "../../src/flow/memorize.ts";
import { makeDocument } from "../../src/ingest/text.ts";
import { layerIndex } from "../../src/records/ids.ts";
import type { Memory } from "../../src/records/memory.ts";
import type { MethodParams } from "../../src/records/params.ts";
import { keptMemory } from "../../src/records/vectors.ts";
import { inMemoryStore } from "../../src/store/inMemory.ts";
import { keyText } from "../../src/records/fact.ts";

export interface MethodInput {
  readonly text: string;
  readonly questions: readonly string[];
  readonly forget: string;
  readonly params: MethodParams;
  /** Storage layers taken as given, which saves the probe; probed when absent. */
  readonly layers?: readonly number[];
}

export interface MethodSummary {
  readonly facts: readonly {
    readonly key: string;
    readonly layer: number;
    readonly exact: boolean;
    readonly fidelity: number;
  }[];
  readonly answers: readonly {
    readonly recalled: readonly string[];
    readonly gates: readonly boolean[];
    readonly text: string;
  }[];
  readonly forgotten: {
    readonly before: string;
    readonly after: string;
    readonly compared: number;
    readonly changed: number;
  };
}

/** A memory without facts, whose storage layers are chosen already. */
function emptyMemory(engine: Engine, params: MethodParams, layers: readonly number[]): Memory {
  const { model, embedder } = engine;
  const none = { sources: [], entries: [], routing: [], waiting: [], salts: ["e2e"] };
  return { ...none, model, params, embedder, layers: layers.map(layerIndex) };
}

/** memorize -> answer -> forget on a store in memory. */
export async function runMethod(engine: Engine, input: MethodInput): Promise<MethodSummary> {
  const context: FlowContext = {
    engine,
    store: inMemoryStore(),
    params: input.params,
    now: () => performance.now(),
    date: () => "2026-01-01T00:00:00Z",
  };
  if (input.layers) await context.store.save(emptyMemory(engine, input.params, input.layers));
  await memorize(context, [makeDocument("text", input.text)]);
  const memory = (await context.store.load())!;
  const open = openMemory(engine, memory, input.params);
  const answers = [];
  for (const question of input.questions) answers.push(await answer(open, question, { now: context.now }));
  open.dispose();
  const { certificate } = await forget(
    context,
    keptMemory(memory),
    new Set([findKey(memory, input.forget).id]),
  );
  return {
    facts: memory.entries.map((entry) => ({
      key: keyText(entry),
      layer: entry.layer,
      exact: entry.report.exact,
      fidelity: entry.report.fidelity,
    })),
    answers: answers.map(({ recalled, text }) => ({
      recalled: recalled.map((r) => r.text),
      gates: recalled.map((r) => r.read.gateOpen),
      text,
    })),
    forgotten: {
      before: certificate.before[0]!.text,
      after: certificate.after[0]!.text,
      compared: certificate.compared,
      changed: certificate.changed,
    },
  };
}
