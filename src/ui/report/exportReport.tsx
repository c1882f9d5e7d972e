/** @file Exports the open notebook as a page, and its figures as files. Loaded on demand. */

import { toCsv } from "../../figures/csv.ts";
import { groupBy } from "../../lib/group.ts";
import { writeZip, type ZipInput } from "../../lib/zip.ts";
import type { Evaluation } from "../../records/evaluation.ts";
import type { Run } from "../../records/run.ts";
import type { EngineService } from "../../service/engineService.ts";
import type { Actions, App } from "../../state/app.ts";
import type { AppState } from "../../state/types.ts";
import { currentOf } from "../app.tsx";
import { drawingAsPng, drawingAsSvg } from "../charts/kit/exportSvg.ts";
import { lossesOf } from "../charts/sections/sides.ts";
import { fileName, saveFile } from "../controls/page.ts";
import { reportFigures, type ReportData } from "./cells.tsx";
import { reportHtml, type DrawnFigure } from "./ReportPage.tsx";
import { createRoot } from "react-dom/client";
import type { AnyFigure } from "../../figures/registry.ts";
import { GuardedBody } from "../controls/lazily.tsx";
import { FigureView } from "../charts/FigureView.tsx";
import { TooltipProvider } from "../controls/basics.tsx";

interface Sources {
  readonly state: () => AppState;
  readonly actions: Pick<Actions, "loadFacts">;
  readonly library: App["library"];
  readonly engine: App["engine"];
}

/** Saves the notebook as one HTML file. Rejects when the memory cannot be read. */
export async function exportPage(sources: Sources): Promise<void> {
  const data = await collect(sources);
  saveFile(fileName(data.notebook.title, "html"), await reportPage(data), "text/html;charset=utf-8");
}

export async function reportPage(data: ReportData): Promise<string> {
  const figures = reportFigures(data);
  const drawn = (drawings: Drawings) =>
    figures.map(({ cellId, figure }, i): DrawnFigure => {
      const drawing = drawings[i];
      return { cellId, figure, svg: drawing ? inline(drawingAsSvg(drawing, figure, false)) : null };
    });
  const all = figures.map(({ figure }) => figure);
  return reportHtml(data, await withDrawings(all, drawn), document.styleSheets);
}

/** Saves every figure as SVG, PNG and CSV in one archive. @returns their number; nothing is saved if it is 0 */
export async function exportFigures(sources: Sources): Promise<number> {
  const data = await collect(sources);
  const figures = reportFigures(data).map(({ figure }) => figure);
  if (figures.length === 0) return 0;
  const files = await withDrawings(figures, async (drawings) => {
    const made: ZipInput[] = [];
    for (const [i, figure] of figures.entries()) {
      const name = `${String(i + 1).padStart(2, "0")}-${figure.id}`;
      const drawing = drawings[i];
      made.push({ name: `${name}.csv`, bytes: utf8(toCsv(figure)) });
      if (!drawing) continue;
      made.push({ name: `${name}.svg`, bytes: utf8(drawingAsSvg(drawing, figure)) });
      const png = await drawingAsPng(drawing, figure);
      made.push({ name: `${name}.png`, bytes: new Uint8Array(await png.arrayBuffer()), stored: true });
    }
    return made;
  });
  saveFile(fileName(`${data.notebook.title} figures`, "zip"), await writeZip(files), "application/zip");
  return figures.length;
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Without the namespace, which HTML does not need: the page contains no address. */
const inline = (svg: string): string =>
  svg.replace(/^<svg [^>]*>/, (tag) => tag.replace(/ xmlns="[^"]*"/, ""));

export async function collect(sources: Sources): Promise<ReportData> {
  const { state, library, engine } = sources;
  const notebook = currentOf(state())?.notebook;
  if (!notebook) throw new Error("report: no notebook is open; open one first");
  const facts = await readFacts(sources);
  const { info, fromExample, said } = state().memory;
  const stored = fromExample ? null : info;
  const curves = await lossesOf(library(), { memory: notebook.id, info: stored, facts });
  const runs = new Map<string, Run>();
  const evaluations = new Map<string, Evaluation>();
  for (const { kind, output } of notebook.cells) {
    if (kind === "experiment" && output) {
      const run = await library().loadRun({ id: output.runId });
      if (run) runs.set(output.runId, run);
    } else if (kind === "benchmark" && output) {
      const run = await library().loadEvaluation({ id: output.runId });
      if (run) evaluations.set(output.runId, run);
    }
  }
  const made = new Date().toISOString();
  // A report opens no model, but uses one that is open.
  const open = state().device.model;
  const vectors = stored && open ? await readVectors(engine(), notebook.id, facts).catch(() => null) : null;
  return { notebook, info: stored, facts, said, curves, vectors, runs, evaluations, made };
}

const LIMITS = { matrix: 48, margins: 500, map: 2000 } as const;

/** Rejects if the memory was made with another model. */
async function readVectors(
  engine: EngineService,
  memory: string,
  facts: ReportData["facts"],
): Promise<ReportData["vectors"]> {
  const byLayer = [...groupBy(facts, ({ layer }) => layer)].sort(([, a], [, b]) => b.length - a.length);
  const [layer] = byLayer[0] ?? [];
  if (layer === undefined) return null;
  const geometry = await engine.geometry({ memory, layer, matrix: LIMITS.matrix, margins: LIMITS.margins });
  const request = { of: "residual", layer: null, method: "pca", limit: LIMITS.map, seed: 1 } as const;
  const [map] = await engine.map({ memories: [memory], request });
  return { layer, geometry, map: map! };
}

async function readFacts({ state, actions }: Sources): Promise<ReportData["facts"]> {
  for (;;) {
    await actions.loadFacts();
    const { facts, loading, problem } = state().memory;
    if (facts) return facts;
    if (problem) throw new Error(problem.message);
    if (!loading) return [];
    await pause(GLANCE);
  }
}

/** Pixels: the width of a column of print. */
const WIDTH = 720;
/** Milliseconds to wait for a drawing; its library may have to be loaded. */
const PATIENCE = 20_000;
const GLANCE = 60;

type Drawings = readonly (HTMLElement | null)[];

/** Draws figures and passes the element of each drawing to `take`; null if it could not be drawn. */
async function withDrawings<T>(
  figures: readonly AnyFigure[],
  take: (drawings: Drawings) => T | Promise<T>,
): Promise<T> {
  const room = document.createElement("div");
  Object.assign(room.style, { position: "absolute", left: "-10000px", top: "0", width: `${WIDTH}px` });
  room.inert = true;
  document.body.append(room);
  const root = createRoot(room);
  try {
    root.render(
      <TooltipProvider>
        {figures.map((figure, i) => (
          <div key={i} data-report={i}>
            <GuardedBody>
              <FigureView figure={figure} />
            </GuardedBody>
          </div>
        ))}
      </TooltipProvider>,
    );
    const drawingOf = (i: number): HTMLElement | null => {
      const holder = room.querySelector<HTMLElement>(`[data-report="${i}"] [data-drawing]`);
      return holder?.querySelector("svg, canvas") ? holder : null;
    };
    const until = performance.now() + PATIENCE;
    while (performance.now() < until && figures.some((_, i) => !finished(room, i) && !drawingOf(i)))
      await pause(GLANCE);
    // Charts draw again when they know their size.
    await pause(2 * GLANCE);
    return await take(figures.map((_, i) => drawingOf(i)));
  } finally {
    root.unmount();
    room.remove();
  }
}

/** Whether there will be no drawing: the figure is a table, or failed. */
const finished = (room: HTMLElement, i: number): boolean =>
  room.querySelector(`[data-report="${i}"] :is([role=alert], table)`) !== null;

const pause = (milliseconds: number) => new Promise((resolve) => void setTimeout(resolve, milliseconds));
