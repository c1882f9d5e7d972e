/** @file Store-wide figures over 50,000 made facts, one after another, each timed from its rows to its first paint. */

import { useEffect, useState, type ReactNode } from "react";
import {
  stepsHistogram,
  factsPerLayer,
  marginRows,
  roundRobin,
  similarityCells,
} from "../../src/figures/layers.ts";
import type { VectorMap } from "../../src/records/geometry.ts";
import { mapRows } from "../../src/figures/gates.ts";
import { seeded } from "../../src/lib/rng.ts";
import { newCell, newNotebook } from "../../src/notebook/kinds.ts";
import { SHARP } from "../../src/records/params.ts";
import { charOffset, documentId, factId, layerIndex } from "../../src/records/ids.ts";
import { reportPage } from "../../src/ui/report/exportReport.tsx";
import type { MemoryHead } from "../../src/records/memory.ts";
import { FigureView } from "../../src/ui/charts/FigureView.tsx";
import { extractionStrip } from "../../src/figures/extraction.ts";
import s from "./Gallery.module.css";

const FACTS = 50_000;
const LAYERS = [2, 5, 8, 11].map(layerIndex);
const SOURCE = { at: "2026-01-01T00:00:00Z", backend: "none", model: "", app: "", run: "50,000 made facts" };

const random = seeded(1);
const book = documentId("0".repeat(16));
const facts = Array.from({ length: FACTS }, (_, i) => {
  const order = i % 9000;
  const exact = random() < 0.9;
  return {
    id: factId(book, charOffset(i * 60)),
    documentId: book,
    anchor: `Anchor ${Math.floor(order * random())}`,
    anchorOrder: order,
    index: Math.floor(i / 9000) + 1,
    offset: i * 60,
    layer: LAYERS[i % 4]!,
    tokens: 4 + Math.floor(random() * 40),
    digest: "",
    exact,
    fidelity: exact ? 1 : random(),
    steps: exact ? Math.floor(random() * 40) : 60,
    deltaNorm: 10 + random() * 10,
    margin: 1 + random(),
    memorizedAt: "",
  };
});
const each = Math.floor(FACTS / 120);
const strip = {
  title: "made",
  characters: FACTS * 60,
  parts: Array.from({ length: 120 }, () => ({ sentences: each, candidates: each, byModel: each, byRule: 0 })),
};
const keys = Array.from({ length: 256 }, (_, i) => `key ${i}`);
const ids = facts.slice(0, keys.length).map(({ id }) => id);
const matrix = {
  layer: 2,
  stored: FACTS / 4,
  keys,
  ids,
  similarity: Array.from({ length: 256 * 256 }, random),
};
const margins = facts.slice(0, 2000).map(({ id, anchor }) => ({
  ...{ id, key: anchor, rival: "another", rivalId: id, rivalSimilarity: 0.5, margin: random() / 2 },
}));
const map: VectorMap = {
  request: { of: "residual", layer: null, method: "pca", limit: FACTS, seed: 1 },
  available: FACTS,
  explained: [0.3, 0.2],
  points: facts.map(({ id, anchor, layer, fidelity, exact }) => ({
    ...{ id, key: anchor, anchor, layer, fidelity, exact, x: random() + layer / 4, y: random() * random() },
  })),
};

const smallMatrix = {
  ...matrix,
  keys: keys.slice(0, 48),
  ids: ids.slice(0, 48),
  similarity: Array.from({ length: 48 * 48 }, random),
};
const BIG_INFO = {
  model: {
    name: "made",
    sha256: "0".repeat(64),
    layers: 16,
    dModel: 256,
    vocabulary: 1,
  } as MemoryHead["model"],
  params: SHARP,
  embedder: "none",
  salts: ["none"],
  sources: [],
  facts: FACTS,
  vectors: 0,
  pending: 0,
};

const FIGURES: Readonly<Record<string, () => ReactNode>> = {
  "extraction strip": () => <FigureView figure={extractionStrip(strip, SOURCE)} />,
  "facts per layer": () => (
    <FigureView figure={factsPerLayer({ facts, layers: LAYERS, capacity: 65_536 }, SOURCE)} />
  ),
  "round-robin": () => <FigureView figure={roundRobin({ facts, layers: LAYERS }, SOURCE)} />,
  "steps histogram": () => <FigureView figure={stepsHistogram({ facts, bins: 30 }, SOURCE)} />,
  "similarity of 256 keys": () => <FigureView figure={similarityCells({ matrix, theta: 0.6 }, SOURCE)} />,
  "margins of 2,000": () => <FigureView figure={marginRows({ margins, layer: 2, theta: 0.6 }, SOURCE)} />,
  "map of 50,000": () => <FigureView figure={mapRows(map, SOURCE)} />,
};

/** Shows one figure; how long that took until it was painted, and the longest task meanwhile (0: under 50 ms). */
async function timeFigure(name: string, show: (name: string | null) => void) {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  show(null);
  await frame();
  await frame();
  const longest = watchTasks();
  const started = performance.now();
  show(name);
  do await frame();
  while (!document.querySelector("[data-drawing] :is(svg, canvas)"));
  await frame();
  const shown = performance.now() - started;
  await new Promise((resolve) => setTimeout(resolve, 100));
  return { shown, longest: longest() };
}

/** Begins to watch; the returned function ends it and gives the longest task in milliseconds (0: under 50). */
function watchTasks(): () => number {
  let longest = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
  });
  observer.observe({ type: "longtask" });
  return () => {
    observer.disconnect();
    return longest;
  };
}

/** The notebook as a page: how long it took to make, the page's longest task meanwhile, and its size in bytes. */
async function timeReport() {
  const layers = [...LAYERS];
  const curves = facts.slice(0, 400).map(({ id, anchor, steps }) => ({
    ...{ id, key: anchor, tokens: 12, losses: Array.from({ length: steps }, (_, i) => 5 / (i + 1)) },
  }));
  const notebook = newNotebook("big", "A big memory", [newCell("memorize", "m"), newCell("store", "s")], "");
  const longest = watchTasks();
  const started = performance.now();
  const html = await reportPage({
    notebook,
    info: { ...BIG_INFO, layers },
    facts,
    said: new Map(facts.map(({ id, anchor }) => [id, `${anchor} went to the kitchen.`])),
    curves,
    vectors: {
      layer: LAYERS[0]!,
      geometry: { matrix: smallMatrix, margins },
      map: { ...map, points: map.points.slice(0, 2000) },
    },
    runs: new Map(),
    evaluations: new Map(),
    made: "",
  });
  return { shown: performance.now() - started, longest: longest(), bytes: new Blob([html]).size };
}

export function Big() {
  const [shown, setShown] = useState<string | null>(null);
  useEffect(() => {
    // tools/figuresBench.ts asks for one figure after the other.
    Object.assign(globalThis, {
      timeReport,
      bigFigures: Object.keys(FIGURES),
      timeFigure: (name: string) => timeFigure(name, setShown),
    });
  }, []);
  return <div className={s.gallery}>{shown && FIGURES[shown]?.()}</div>;
}
