/** @file The recorded gallery with hardly anything to draw: memories of one fact, of keys that are all alike, of facts that are all exact, and none. */

import type { PartRow } from "../../records/notebook.ts";
import type { RecallTrace, TracePass } from "../../records/trace.ts";
import type { Gallery } from "./gallery.ts";

export const DEGENERATE = {
  /** A memory of one fact. */
  "one-fact": (gallery: Gallery): Gallery => {
    const [fact] = gallery.facts;
    const of = <T extends { readonly id: string }>(items: readonly T[]): T[] =>
      items.filter(({ id }) => id === fact!.id).slice(0, 1);
    const { matrix, margins } = gallery.geometry;
    const lone = { rival: null, rivalId: null, rivalSimilarity: null, margin: null };
    const key = margins[0]!.key;
    return {
      ...gallery,
      facts: [fact!],
      layers: [fact!.layer],
      orders: gallery.orders.slice(0, 1),
      curves: of(gallery.curves),
      geometry: {
        matrix: { ...matrix, stored: 1, keys: [key], ids: matrix.ids.slice(0, 1), similarity: [1] },
        margins: [{ ...margins[0]!, ...lone }],
      },
      maps: gallery.maps.map((map) => ({
        ...map,
        available: 1,
        points: map.points.slice(0, 1).map((point) => ({ ...point, x: 0, y: 0 })),
        explained: map.explained && [0, 0],
      })),
      trace: alone(gallery.trace),
      failed: null,
    };
  },
  /** All keys and residuals of a layer are one, to the seventh digit. */
  alike: (gallery: Gallery): Gallery => {
    const { matrix, margins } = gallery.geometry;
    const n = matrix.keys.length;
    const close = 0.9999999;
    return {
      ...gallery,
      facts: all(gallery, { deltaNorm: 5, steps: 3, tokens: 6 }),
      curves: gallery.curves.map((curve) => ({ ...curve, tokens: 6, losses: [2, 2, 2] })),
      geometry: {
        matrix: {
          ...matrix,
          similarity: Array.from({ length: n * n }, (_, i) => (i % (n + 1) === 0 ? 1 : close)),
        },
        margins: margins.map((one) => ({ ...one, rivalSimilarity: 1, margin: 0 })),
      },
      maps: gallery.maps.map((map) => ({
        ...map,
        points: map.points.map((point) => ({ ...point, x: 0, y: 0 })),
        explained: map.explained && [0, 0],
      })),
    };
  },
  /** Every fact came back word for word, before the first step. */
  "all-exact": (gallery: Gallery): Gallery => ({
    ...gallery,
    facts: all(gallery, { exact: true, fidelity: 1, steps: 0 }),
    curves: gallery.curves.map((curve) => ({ ...curve, losses: [] })),
    failed: null,
    maps: gallery.maps.map((map) => ({
      ...map,
      points: map.points.map((point) => ({ ...point, exact: true, fidelity: 1 })),
    })),
  }),
  /** None did, and the model said nothing of what was stored. */
  "none-exact": (gallery: Gallery): Gallery => ({
    ...gallery,
    facts: all(gallery, { exact: false, fidelity: 0, steps: 60 }),
    curves: gallery.curves.map((curve) => ({ ...curve, losses: Array.from({ length: 60 }, () => 40) })),
    plan: {
      ...gallery.plan,
      choices: gallery.plan.choices.map((choice) => ({ ...choice, exactRate: 0, fidelity: 0 })),
    },
    maps: gallery.maps.map((map) => ({
      ...map,
      points: map.points.map((point) => ({ ...point, exact: false, fidelity: 0 })),
    })),
  }),
} as const satisfies Readonly<Record<string, (gallery: Gallery) => Gallery>>;

/** Every fact and each of its parts, changed. */
function all({ facts }: Gallery, change: Partial<PartRow>): Gallery["facts"] {
  return facts.map(({ parts, ...fact }) => ({
    ...{ ...fact, ...change },
    ...(parts && { parts: parts.map((part) => ({ ...part, ...change })) }),
  }));
}

/** The recall as it would be with no other key at its layer. */
function alone(trace: RecallTrace): RecallTrace {
  const own = trace.store.findIndex(({ id }) => id === trace.id);
  const only = (pass: TracePass): TracePass => ({
    ...pass,
    similarity: pass.fed.map((_, at) => pass.similarity[at * trace.store.length + own]!),
  });
  return { ...trace, store: [trace.store[own]!], soft: only(trace.soft), top1: only(trace.top1) };
}

export type DegenerateName = keyof typeof DEGENERATE;

export const isDegenerate = (name: string | null): name is DegenerateName =>
  name !== null && Object.hasOwn(DEGENERATE, name);
