/** @file The open notebook as one HTML file without network or script, and its figures as files. Loaded on demand. */

import { toCsv } from "../../figures/figure.ts";
import { groupBy } from "../../lib/group.ts";
import { writeZip, type ZipInput } from "../../lib/zip.ts";
import type { Evaluation } from "../../records/evaluation.ts";
import type { Run } from "../../records/run.ts";
import type { EngineService } from "../../service/engineService.ts";
import type { Actions, App } from "../../state/app.ts";
import type { AppState } from "../../state/core.ts";
import { currentOf } from "../app.tsx";
import { drawingAsPng, drawingAsSvg } from "../charts/kit/exportSvg.ts";
import { lossesOf } from "../charts/sections/sides.ts";
import { fileName, saveFile } from "../controls/page.ts";
import {
  reportFigures,
  type ReportData,
  CellReport,
  printedRows,
  StampLine,
  type ReportFigure,
} from "./cells.tsx";
import { createRoot } from "react-dom/client";
import { type AnyFigure, readableColumns } from "../../figures/registry.ts";
import { GuardedBody } from "../controls/useAsync.tsx";
import { FigureView } from "../charts/FigureView.tsx";
import { TooltipProvider, PrintingContext } from "../controls/basics.tsx";
import { renderToStaticMarkup } from "react-dom/server";
import { cellTitle, KINDS } from "../../notebook/kinds.ts";
import type { Cell } from "../../records/notebook.ts";
import { figureColumn, sourceText } from "../charts/kit/text.ts";
import { counted, dateTime } from "../format.ts";
import { Table } from "../table/Table.tsx";

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
const inline = (svg: string) => svg.replace(/^<svg [^>]*>/, (tag) => tag.replace(/ xmlns="[^"]*"/, ""));

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
async function readVectors(engine: EngineService, memory: string, facts: ReportData["facts"]) {
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

const WIDTH = 720;
/** Milliseconds to wait for a drawing; its library may have to be loaded. */
const PATIENCE = 20_000;
const GLANCE = 60;

type Drawings = readonly (HTMLElement | null)[];

/** Draws figures and passes the element of each drawing to `take`; null if it could not be drawn. */
async function withDrawings<T>(figures: readonly AnyFigure[], take: (drawings: Drawings) => T | Promise<T>) {
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

interface DrawnFigure extends ReportFigure {
  readonly svg: string | null;
}

const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/** The report as text; `sheets` are the app's style sheets, of which rules that fetch something are left out. */
export function reportHtml(
  data: ReportData,
  figures: readonly DrawnFigure[],
  sheets: Iterable<CSSStyleSheet> = [],
): string {
  const rules = [...sheets].flatMap(({ cssRules }) => [...cssRules].map(({ cssText }) => cssText));
  const style = rules.filter((text) => !/url\(|@import/i.test(text)).join("\n");
  const page = renderToStaticMarkup(
    <PrintingContext value>
      <TooltipProvider>{pageOf(data, figures, `${style}${STYLE}`)}</TooltipProvider>
    </PrintingContext>,
  );
  return `<!doctype html>\n${page}\n`;
}

function pageOf(data: ReportData, figures: readonly DrawnFigure[], style: string) {
  const { notebook, facts, made } = data;
  const title = notebook.title || "Untitled notebook";
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta httpEquiv="Content-Security-Policy" content={POLICY} />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light" />
        <title>{title}</title>
        <style dangerouslySetInnerHTML={{ __html: style }} />
      </head>
      <body>
        <header>
          <h1>{title}</h1>
          <p className="lead">
            Created {dateTime(notebook.created)}, last changed {dateTime(notebook.updated)}.{" "}
            {facts.length > 0 && `${counted(facts.length, "fact")} in memory. `}
            {counted(notebook.cells.length, "cell")}, {counted(figures.length, "figure")}.
          </p>
        </header>
        <main>
          {notebook.cells.map((cell, i) => (
            <section key={cell.id} className="cell" aria-label={`Cell ${i + 1}: ${KINDS[cell.kind].name}`}>
              <Head cell={cell} place={i + 1} />
              <CellReport cell={cell} data={data} />
              {figures
                .filter(({ cellId }) => cellId === cell.id)
                .map((drawn, n) => (
                  <FigureReport key={n} {...drawn} />
                ))}
            </section>
          ))}
        </main>
        <footer>
          Exported from Palimpsest, {dateTime(made)}. This page needs no network and runs no script.
        </footer>
      </body>
    </html>
  );
}

function Head({ cell, place }: { readonly cell: Cell; readonly place: number }) {
  const stamp = cell.output && "stamp" in cell.output ? cell.output.stamp : null;
  return (
    <div className="cellhead">
      {(cell.title || cell.kind !== "note") && (
        <h2>
          <span className="place">{place}</span> {cellTitle(cell)}
        </h2>
      )}
      {stamp && <StampLine stamp={stamp} />}
    </div>
  );
}

const ROWS = 500;

function FigureReport({ figure, svg }: DrawnFigure) {
  const { title, caption, rows, source } = figure;
  return (
    <figure>
      <figcaption>
        <h3>{title}</h3>
        <p>{caption}</p>
      </figcaption>
      {svg ? (
        <div
          className="drawing"
          tabIndex={0}
          role="group"
          aria-label="Drawing"
          dangerouslySetInnerHTML={{ __html: svg }}
        />
      ) : (
        <p className="soft">This figure could not be drawn; its data follow.</p>
      )}
      <details open={svg === null}>
        <summary>Data of this figure</summary>
        <Table
          caption={`Data of ${title}`}
          rows={rows}
          columns={readableColumns(figure).map(figureColumn)}
          limit={printedRows(ROWS, rows.length, "row", "“Figures as files” exports all")}
        />
      </details>
      <p className="soft">{sourceText(source)}</p>
    </figure>
  );
}

const STYLE = `
html{background:#fff}
body{margin:0 auto;max-width:52rem;padding:3.5rem 1.5rem 6rem;overflow-wrap:anywhere}
h1{font:600 2.1rem/1.2 var(--serif);text-wrap:balance}
h2{font:600 1.35rem/1.3 var(--serif)}
h3{font:600 1.05rem/1.35 var(--serif)}
pre{padding:.75rem 1rem;overflow:auto;background:var(--paper)}
.soft,.stamp,.lead{color:var(--ink-soft)}
.soft,.stamp{font-size:.82rem}
.lead{margin-top:.5rem}
section.cell{display:grid;grid-template-columns:minmax(0,1fr);gap:.9rem;margin-top:2.6rem;padding-top:1.1rem;border-top:1px solid var(--hairline-strong)}
.cellhead{display:flex;flex-wrap:wrap;align-items:baseline;justify-content:space-between;gap:.2rem 1.5rem}
.cellhead .place{color:var(--ink-soft);font-weight:400}
.note>div{display:grid;gap:.7rem}.note{font:400 1.0625rem/1.65 var(--serif)}
.note ul,.note ol{padding-left:1.3rem}
.note blockquote{padding-left:1rem;border-left:2px solid var(--hairline-strong);color:var(--ink-soft)}
dl.numbers{display:grid;grid-template-columns:repeat(auto-fill,minmax(11rem,1fr));gap:.55rem 1.5rem}
dl.numbers dt{color:var(--ink-soft);font-size:.78rem}
.scroll,[data-table]{overflow-x:auto}
:where(table){width:100%;font-size:.85rem}
:where(th,td){padding:.28rem 1rem .28rem 0;border-bottom:1px solid var(--hairline);font-weight:400;text-align:left;vertical-align:top}
figure{display:grid;grid-template-columns:minmax(0,1fr);gap:.5rem;margin-top:.8rem;break-inside:avoid}
figcaption{display:grid;gap:.1rem}
figcaption p{color:var(--ink-soft);font-size:.85rem}
.drawing>svg{display:block;max-width:100%;height:auto;overflow:visible}
summary{color:var(--lapis);cursor:pointer}
details .scroll{max-height:24rem;overflow:auto}
footer{margin-top:3.5rem;padding-top:1rem;border-top:1px solid var(--hairline-strong);color:var(--ink-soft);font-size:.82rem}
@media(max-width:599px){body{padding:1.75rem 1rem 4rem}h1{font-size:1.7rem}.drawing{overflow-x:auto}.drawing>svg{max-width:none}}
@media print{body{padding:0;max-width:none}figure details{display:none}section.cell{break-inside:auto}}
`;
