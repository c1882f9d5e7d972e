/** @file How long the store takes with many facts, in milliseconds; the same in Node and in a browser. */
import { charOffset, documentId, factId, layerIndex } from "../../src/records/ids.ts";
import type { Memory, MemoryEntry } from "../../src/records/memory.ts";
import { SHARP } from "../../src/records/params.ts";
import { openDatabase } from "../../src/store/database.ts";
import { readCurves, readParts, readFacts } from "../../src/store/facts.ts";
import { digestOf } from "../../src/records/digest.ts";
import { hashedTerms, termHasher } from "../../src/router/termHashes.ts";
import { openIndexedDbStore } from "../../src/store/indexedDb.ts";

const [D_MODEL, D_FF, EMBEDDING] = [256, 768, 256];
const DOCUMENT = documentId("bench00000000000");
const PER_ANCHOR = 4;
const LAYERS = 12;

function vector(seed: number, length: number): Float32Array {
  return Float32Array.from({ length }, (_, i) => Math.sin(seed * 12.9898 + i));
}

function makeEntry(n: number, layer: number): MemoryEntry {
  return {
    id: factId(DOCUMENT, charOffset(n * 80)),
    documentId: DOCUMENT,
    anchor: `anchor ${Math.floor(n / PER_ANCHOR)}`,
    index: (n % PER_ANCHOR) + 1,
    offset: charOffset(n * 80),
    part: 1,
    start: 0,
    layer: layerIndex(layer),
    tokens: 14,
    key: vector(n, D_FF),
    residual: vector(n + 0.5, D_MODEL),
    report: {
      steps: 12,
      exact: true,
      fidelity: 1,
      recalled: null,
      deltaNorm: 3,
      margin: 1.5,
      losses: Array.from({ length: 12 }, (_, i) => 1 / (i + 1)),
    },
  };
}

const valueOf = (a: number, j: number): string =>
  `The ledger ${a} of ${j} lies in vault ${a * 7919} of the old archive by the river.`;
const idOf = (a: number, j: number) => factId(DOCUMENT, charOffset((a * PER_ANCHOR + j) * 80));

function emptyMemory(facts: number): Memory {
  const hasher = termHasher("bench");
  const numbers = Array.from({ length: PER_ANCHOR }, (_, j) => j);
  const anchors = Array.from({ length: Math.ceil(facts / PER_ANCHOR) }, (_, a) => a);
  return {
    model: {
      name: "bench",
      architecture: "Qwen3ForCausalLM",
      sha256: "0".repeat(64),
      layers: LAYERS,
      dModel: D_MODEL,
      dFf: D_FF,
      vocabulary: 100,
      window: 1024,
    },
    params: SHARP,
    embedder: "model:mean",
    layers: Array.from({ length: LAYERS }, (_, i) => layerIndex(i)),
    sources: [],
    entries: [],
    salts: ["bench"],
    routing: anchors.map((a) => ({
      anchor: `anchor ${a}`,
      order: a,
      facts: numbers.map((j) => ({
        id: idOf(a, j),
        index: j + 1,
        terms: hashedTerms(valueOf(a, j), [], hasher),
        digest: digestOf(valueOf(a, j), "bench"),
        vector: vector(a + j / 10, EMBEDDING),
      })),
      vector: vector(a, EMBEDDING),
    })),
    waiting: anchors.flatMap((a) => numbers.map((j) => ({ id: idOf(a, j), value: valueOf(a, j) }))),
  };
}

/** Begins a memory of `facts` facts, appends them in batches, reads and deletes; milliseconds of each. */
export async function benchStore(facts: number, batch: number): Promise<Record<string, number>> {
  const name = `bench ${crypto.randomUUID()}`;
  const database = await openDatabase({ name });
  const store = openIndexedDbStore(database, "m");
  const times: Record<string, number> = {};
  const timed = async <T>(what: string, job: () => Promise<T>): Promise<T> => {
    const start = performance.now();
    const result = await job();
    times[what] = Math.round(performance.now() - start);
    return result;
  };
  const memory = emptyMemory(facts);
  await timed("save the routing index", () => store.save(memory));
  let making = 0;
  await timed(`append ${facts} facts by ${batch}`, async () => {
    for (let n = 0; n < facts; n += batch) {
      const start = performance.now();
      // As encoding hands them over: a batch is of one layer.
      const entries = Array.from({ length: Math.min(batch, facts - n) }, (_, i) =>
        makeEntry(n + i, (n / batch) % LAYERS),
      );
      making += performance.now() - start;
      await store.append({ entries });
    }
  });
  times["of which making them"] = Math.round(making);
  await timed("readFacts", () => readFacts(database, "m"));
  const one = factId(DOCUMENT, charOffset(Math.floor(facts / 2) * 80));
  await timed("readParts", () => readParts(database, "m", one));
  await timed("readCurves of 32", () =>
    readCurves(
      database,
      "m",
      Array.from({ length: 32 }, (_, i) => factId(DOCUMENT, charOffset(i * 80))),
    ),
  );
  const removal = (id: typeof one) => ({
    ids: new Set([id]),
    routing: memory.routing
      .filter((document) => document.facts.some((fact) => fact.id === id))
      .map((document) => ({ ...document, facts: document.facts.filter((fact) => fact.id !== id) })),
    sources: [],
  });
  await timed("remove one", () => store.remove(removal(one)));
  const loaded = await timed("load", () => store.load());
  await timed("save all (compacts)", () => store.save(loaded!));
  await timed("readFacts, compacted", () => readFacts(database, "m"));
  await timed("load, compacted", () => store.load());
  await timed("remove one, compacted", () => store.remove(removal(factId(DOCUMENT, charOffset(0)))));
  await timed("append 16, compacted", () =>
    store.append({ entries: Array.from({ length: 16 }, (_, i) => makeEntry(facts + i, 1)) }),
  );
  database.close();
  indexedDB.deleteDatabase(name);
  return times;
}
