/**
 * @file Part length: the same facts of a text, stored in parts of several maximum lengths. Longer parts need fewer vectors,
 * until they are too long for a vector and have to be halved.
 */

import { many } from "../../lib/format.ts";
import { ruleFacts } from "../../flow/estimateRun.ts";
import { present } from "../../lib/assert.ts";
import { mean, spread } from "../../lib/stats.ts";
import { encodeFacts } from "../../memory/encode.ts";
import { partsOf } from "../../memory/parts.ts";
import type { PlannedFact } from "../../records/fact.ts";
import { layerIndex } from "../../records/ids.ts";
import { byFact, type MemoryEntry } from "../../records/memory.ts";
import { share, type Reader, type Study, type StudyContext } from "./study.ts";

const lengthsOf = (settings: Reader) => settings.numbers("lengths", 2, true);
const layersOf = (settings: Reader) => settings.numbers("layers", 0, true);

/** Facts that are encoded before the clock starts, so that the first length does not pay for setup. */
const WARM_FACTS = 2;

export const parts: Study = {
  axes: (settings) => [lengthsOf(settings)],

  cost: (settings) => ({ group: (id) => id, encodes: settings.count("facts"), recalls: 0 }),

  async *cases({ context, settings, wanted, note, made }) {
    const planned = await factsFrom(context, settings);
    const lengths = lengthsOf(settings).filter((length) => wanted(length));
    for (const length of lengths)
      await encode(context, planned.slice(0, WARM_FACTS), length, () => note("making ready"));
    for (const length of lengths) {
      const from = context.now();
      const entries = await encode(context, planned, length, (done) =>
        note(
          `parts of at most ${length} tokens: ${done} of ${many(planned.length, "fact")}`,
          done / planned.length,
        ),
      );
      const milliseconds = context.now() - from;
      const facts = byFact(entries);
      yield made([length], {
        inputs: { length, facts: facts.length, layers: layersOf(settings).join(" ") },
        measures: {
          exact: share(facts, (those) => those.every(({ report }) => report.exact)),
          halved: halvedShare(context, planned, facts, length),
          vectors: entries.length / facts.length,
          tokensPerVector: mean(entries.map(({ tokens }) => tokens)),
          stepsTaken: mean(entries.map(({ report }) => report.steps)),
          factMilliseconds: milliseconds / facts.length,
        },
        milliseconds,
      });
    }
  },
};

/** Facts of the context's text, evenly spread over it, at the layers of the settings in turns. */
async function factsFrom({ document, params }: StudyContext, settings: Reader): Promise<PlannedFact[]> {
  const text = present(
    document,
    () => "bench: parts: a text is needed to take facts from; choose a document",
  );
  const { facts } = await ruleFacts([text], params);
  const layers = layersOf(settings).map(layerIndex);
  const chosen = spread(facts, settings.count("facts"));
  return chosen.map((fact, i) => ({ fact, layer: layers[i % layers.length]! }));
}

async function encode(
  { engine, params, signal }: StudyContext,
  planned: readonly PlannedFact[],
  partTokens: number,
  onDone: (done: number) => void,
): Promise<MemoryEntry[]> {
  const made: MemoryEntry[] = [];
  const options = {
    layers: [...new Set(planned.map(({ layer }) => layer))],
    onProgress: ({ done }: { readonly done: number }) => onDone(done),
    ...(signal ? { signal } : {}),
  };
  for await (const entries of encodeFacts(engine, planned, { ...params, partTokens }, options))
    made.push(...entries);
  return made;
}

/** Share of facts that needed more vectors than they were cut into at first. */
function halvedShare(
  { engine, params }: StudyContext,
  planned: readonly PlannedFact[],
  facts: readonly (readonly MemoryEntry[])[],
  length: number,
): number | null {
  const cut = new Map(
    planned.map(({ fact }) => [fact.id, partsOf(engine, fact, { ...params, partTokens: length }).length]),
  );
  return share(facts, (those) => those.length > cut.get(those[0]!.id)!);
}
