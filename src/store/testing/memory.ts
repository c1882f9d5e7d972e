/** @file Memories made for tests: any finite bits in the vectors, awkward text and numbers in the records. */

import { charOffset, documentId, factId, layerIndex, type FactId } from "../../records/ids.ts";
import type { Memory, MemoryEntry, RoutingDocument } from "../../records/memory.ts";
import { omit } from "../../lib/omit.ts";
import { unit } from "../../lib/vector.ts";
import { toFloat16, toLevels } from "../../lib/vectorForms.ts";
import { digestOf } from "../../records/digest.ts";
import { hashedTerms, termHasher } from "../../router/termHashes.ts";
import type { Removal } from "../port.ts";
import { SHARP } from "../../records/params.ts";

const D_MODEL = 6;
const D_FF = 10;
/** All bits of the exponent: infinity or NaN. */
const INFINITE = 0x7f800000;
const DOCUMENT = documentId("0123456789abcdef0123");

const SALT = "5a17";

/** Words that belong to fact n alone, as long as it waits. */
export const valueOf = (n: number): string =>
  `The Zürich ledger ${n} lies in vault ${n * 7919 + 104729}. \u{1f5dd} "quoted"\nline \ud800 \u2028`;
/** Hashes that belong to fact n alone. */
export const termsOf = (n: number): string => hashedTerms(valueOf(n), [], termHasher(SALT));
export const digestFor = (n: number): string => digestOf(valueOf(n), SALT);
export const anchorOf = (n: number): string => `anchor ${n % 4}`;

/** Any bits of finite numbers, also -0 and the smallest and largest there are; an import rejects NaN and infinity. */
function vector(seed: number, length: number): Float32Array {
  const bits = new Uint32Array(length);
  let state = seed * 2654435761 + 12345;
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const any = (state ^ (state >>> 13)) >>> 0;
    bits[i] = (any & INFINITE) === INFINITE ? any - 0x00800000 : any;
  }
  bits[0] = [0x00000001, 0x80000000, 0xff7fffff, 0x7f7fffff][seed % 4]!;
  return new Float32Array(bits.buffer);
}

export function makeEntry(n: number, layer = n % 3): MemoryEntry {
  return {
    id: factId(DOCUMENT, charOffset(n * 100)),
    documentId: DOCUMENT,
    anchor: anchorOf(n),
    index: Math.floor(n / 4) + 1,
    offset: charOffset(n * 100),
    part: 1,
    start: 0,
    layer: layerIndex(layer),
    tokens: 3 + (n % 60),
    key: unit(Float32Array.from({ length: D_FF }, (_, i) => Math.sin(7.3 * n + i * i + 1))),
    residual: vector(n + 1000, D_MODEL),
    report: {
      steps: n,
      exact: n % 2 === 0,
      fidelity: 1 / 3,
      recalled: n % 2 === 0 ? null : `The Zürich ledger ${n}, as misremembered`,
      deltaNorm: 0.1 + n,
      margin: 0.2 + n,
      losses: [NaN, Infinity, -0, 1e-310, 0.1 + 0.2],
    },
  };
}

/** Routing documents of the facts; every other fact has its own vector. */
export function makeRouting(facts: readonly number[]): RoutingDocument[] {
  const anchors = [...new Set(facts.map(anchorOf))];
  return anchors.map((anchor, order) => ({
    anchor,
    order,
    facts: facts
      .filter((n) => anchorOf(n) === anchor)
      .map((n, i) => ({
        id: factId(DOCUMENT, charOffset(n * 100)),
        index: i + 1,
        terms: termsOf(n),
        digest: digestFor(n),
        ...(n % 2 === 0 && { vector: vector(n + 2000, 5) }),
      })),
    vector: vector(order + 3000, 5),
  }));
}

/** A memory of the facts with these numbers; those after the first `encoded` wait. */
export function makeMemory(facts: readonly number[], encoded = facts.length): Memory {
  return {
    model: {
      name: "tiny",
      architecture: "Qwen3ForCausalLM",
      sha256: "ab".repeat(32),
      layers: 4,
      dModel: D_MODEL,
      dFf: D_FF,
      vocabulary: 11,
      window: 128,
    },
    params: { ...SHARP, vectors: "float32", beta: 1e21, refine: -0 },
    embedder: "model:mean",
    salts: [SALT],
    layers: [0, 1, 2].map(layerIndex),
    centres: [0, 2].map((layer) => ({ layer: layerIndex(layer), vector: vector(layer + 4000, D_FF) })),
    sources: [
      {
        id: DOCUMENT,
        title: "Ledgers",
        characters: 9,
        sentences: 3,
        candidates: 2,
        memorizedAt: "2026-01-01T00:00:00Z",
      },
    ],
    entries: facts.slice(0, encoded).map((n) => makeEntry(n)),
    routing: makeRouting(facts),
    waiting: facts.slice(encoded).map((n) => ({ id: idOf(n), value: valueOf(n) })),
  };
}

/** A memory that was begun in float32 and added to in the compact forms: every fact after the first two. */
export function makeCompact(facts: readonly number[]): Memory {
  const { params, entries, ...rest } = makeMemory(facts);
  const compact = (entry: MemoryEntry): MemoryEntry => ({
    ...entry,
    key: toLevels(Float32Array.from(entry.key, (_, i) => Math.sin(entry.offset + i))),
    residual: toFloat16(Float32Array.from(entry.residual, (_, i) => Math.cos(entry.offset + i))),
  });
  return {
    ...rest,
    params: { ...params, vectors: "compact" },
    earlier: [params],
    entries: entries.map((entry, i) => (i < 2 ? { ...entry, params: 0 } : compact(entry))),
  };
}

const idOf = (n: number): FactId => factId(DOCUMENT, charOffset(n * 100));

/** The memory without the facts with these numbers; documents that lose one keep their vector and their order. */
export function without(memory: Memory, facts: readonly number[]): Memory {
  const gone = new Set(facts.map(idOf));
  const routing = memory.routing.map((document) => ({
    ...document,
    facts: document.facts.filter(({ id }) => !gone.has(id)),
  }));
  return {
    ...memory,
    entries: memory.entries.filter(({ id }) => !gone.has(id)),
    waiting: memory.waiting.filter(({ id }) => !gone.has(id)),
    routing: routing.filter((document) => document.facts.length > 0),
  };
}

/** The removal of the facts with these numbers. */
export function removalOf(memory: Memory, facts: readonly number[]): Removal {
  const lengths = new Map(memory.routing.map(({ anchor, facts: of }) => [anchor, of.length]));
  return {
    ids: new Set(facts.map(idOf)),
    routing: without(memory, facts).routing.filter(
      ({ anchor, facts: of }) => of.length < lengths.get(anchor)!,
    ),
    sources: [],
  };
}

export const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

/** The value with every vector as its bits, by which -0 is not 0, and without random numbers of entries. */
export function bitsOf(value: unknown): unknown {
  if (value instanceof Float32Array) return new Uint32Array(value.slice().buffer);
  if (Array.isArray(value)) return value.map(bitsOf);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(([key]) => key !== "nonce");
  return Object.fromEntries(fields.map(([key, item]) => [key, bitsOf(item)]));
}

/** A memory without its salt, hashes and random numbers, which are new in every memory. */
export const unsalted = (memory: Memory | null) => ({
  ...memory,
  salts: memory?.salts.length,
  entries: memory?.entries.map((entry) => omit(entry, "nonce")),
  routing: memory?.routing.map((document) => ({
    ...document,
    facts: document.facts.map((fact) => omit(fact, "terms", "digest")),
  })),
});
