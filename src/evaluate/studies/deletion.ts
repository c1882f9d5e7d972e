/** @file Deletion locality: some facts are deleted; each fact is a case, asked for before and after. */

import { many } from "../../lib/format.ts";
import { assert } from "../../lib/assert.ts";
import { layerIndex } from "../../records/ids.ts";
import { sameTokens } from "../../memory/fidelity.ts";
import { openReader } from "../../memory/read.ts";
import { assignLayers } from "../../plan/layers.ts";
import { encodeAll, judge, factsOf, KINDS, type FactKind } from "./facts.ts";
import type { CaseRecord } from "../../records/run.ts";
import { byStem, presetParams, type Study, type Work } from "./study.ts";

const idOf = (kind: string, preset: string, n: number) =>
  `deletion/${kind}/${preset}/${String(n + 1).padStart(3, "0")}`;

export const deletion: Study = {
  plan: (settings) =>
    settings
      .choices("kinds", KINDS)
      .flatMap((kind) =>
        settings
          .presets()
          .flatMap((preset) =>
            Array.from({ length: settings.count("facts", 2) }, (_, n) => idOf(kind, preset, n)),
          ),
      ),

  cost: (settings) => ({ group: byStem, encodes: settings.count("facts", 2), recalls: 2 }),

  async *cases(work: Work) {
    for (const kind of work.settings.choices("kinds", KINDS)) yield* casesOf(work, kind);
  },
};

async function* casesOf(
  { context, settings, wanted, note }: Work,
  kind: FactKind,
): AsyncGenerator<CaseRecord> {
  const [count, removed] = [settings.count("facts", 2), settings.count("deleted")];
  assert(
    removed < count,
    () => `bench: deletion: ${removed} of ${many(count, "fact")} are to be deleted; some must stay`,
  );
  const layers = settings.numbers("layers", { least: 0, whole: true }).map(layerIndex);
  const [keyCentre = "store"] = settings.choices("keyCentre", ["store", "none"] as const);
  const facts = factsOf(context, kind, count);
  const gone = new Set(
    Array.from({ length: removed }, (_, i) => facts[Math.floor((i * count) / removed)]!.id),
  );
  for (const preset of settings.presets()) {
    if (!facts.some((_, n) => wanted(idOf(kind, preset, n)))) continue;
    const params = { ...presetParams(context, preset), keyCentre };
    const started = context.now();
    const { entries, centres } = await encodeAll(
      context,
      assignLayers(facts, layers, params),
      params,
      (done) => note(`${preset}, ${kind}: ${done} of ${many(count, "fact")} encoded`, done / count),
    );
    const recall = async (stored: typeof entries) => {
      const reader = openReader(context.engine, { entries: stored, centres }, params);
      try {
        return await judge(context.engine, reader, entries, facts, params);
      } finally {
        reader.dispose();
      }
    };
    note(`${preset}, ${kind}: all ${many(count, "fact")} asked for before the deletion`);
    const before = await recall(entries);
    note(`${preset}, ${kind}: all ${many(count, "fact")} asked for after ${removed} are deleted`);
    const full = before.filter(({ exact }) => exact).length;
    const after = await recall(entries.filter(({ id }) => !gone.has(id)));
    const each = (context.now() - started) / count;
    for (const [n, fact] of facts.entries()) {
      if (!wanted(idOf(kind, preset, n))) continue;
      const [was, is] = [before[n]!, after[n]!];
      yield {
        kind: "case",
        id: idOf(kind, preset, n),
        inputs: {
          kind,
          preset,
          keyCentre,
          fact: n + 1,
          layer: entries[n]!.layer,
          deleted: gone.has(fact.id),
        },
        measures: {
          exactBefore: Number(was.exact),
          exactAfter: Number(is.exact),
          changed: Number(!sameTokens(was.recalled.tokens, is.recalled.tokens)),
          injectedAfter: Number(is.recalled.read.openPositions.length > 0),
        },
        ...noteOf(gone.has(fact.id) && `“${was.recalled.text}”, then “${is.recalled.text}”`, full, count),
        milliseconds: each,
      };
    }
  }
}

/** The deleted fact, and whether the store can show locality: only facts that were recalled before can be lost. */
function noteOf(
  deleted: string | false,
  full: number,
  count: number,
): { note: string } | Record<string, never> {
  const partly =
    full < count && `${full} of ${many(count, "fact")} came back before: what did not cannot show locality`;
  const note = [deleted, partly].filter(Boolean).join("; ");
  return note === "" ? {} : { note };
}
