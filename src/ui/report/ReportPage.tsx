/** @file The notebook as one HTML file without network or script, drawn by the components of the page. */

import { renderToStaticMarkup } from "react-dom/server";
import { cellTitle, KINDS } from "../../notebook/kinds.ts";
import type { Cell } from "../../records/notebook.ts";
import { readableColumns } from "../../figures/registry.ts";
import { figureColumn, sourceText } from "../charts/kit/text.ts";
import { PrintingContext } from "../controls/layout.tsx";
import { TooltipProvider } from "../controls/basics.tsx";
import { counted, dateTime } from "../format.ts";
import { Table } from "../table/Table.tsx";
import { CellReport, printedRows, StampLine, type ReportData, type ReportFigure } from "./cells.tsx";

/** A figure and its drawing as an SVG element; null if it could not be drawn. */
export interface DrawnFigure extends ReportFigure {
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
      <TooltipProvider>{reportPage(data, figures, `${style}${STYLE}`)}</TooltipProvider>
    </PrintingContext>,
  );
  return `<!doctype html>\n${page}\n`;
}

function reportPage(data: ReportData, figures: readonly DrawnFigure[], style: string) {
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
.note{display:grid;gap:.7rem;font:400 1.0625rem/1.65 var(--serif)}
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
.drawing>svg{display:block;max-width:100%;height:auto}
summary{color:var(--lapis);cursor:pointer}
details .scroll{max-height:24rem;overflow:auto}
footer{margin-top:3.5rem;padding-top:1rem;border-top:1px solid var(--hairline-strong);color:var(--ink-soft);font-size:.82rem}
@media(max-width:599px){body{padding:1.75rem 1rem 4rem}h1{font-size:1.7rem}.drawing{overflow-x:auto}.drawing>svg{max-width:none}}
@media print{body{padding:0;max-width:none}figure details{display:none}section.cell{break-inside:auto}}
`;
