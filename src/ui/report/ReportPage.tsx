/**
 * @file The notebook as one HTML file that needs no network and runs no script: its cells with their outputs, stamps and
 * figures, drawn by the components of the page. React escapes all text; drawings are SVG that this app drew.
 */

import { renderToStaticMarkup } from "react-dom/server";
import type { Figure, Row } from "../../figures/figure.ts";
import { cellTitle, KINDS } from "../../notebook/kinds.ts";
import type { Cell } from "../../records/notebook.ts";
import { readableColumns } from "../../figures/links.ts";
import { axisText, cellText, sourceText } from "../charts/kit/text.ts";
import { PrintingContext } from "../controls/printing.ts";
import { TooltipProvider } from "../controls/Tooltip.tsx";
import { counted, dateTime } from "../format.ts";
import type { Column } from "../table/column.ts";
import { Table } from "../table/Table.tsx";
import { CellReport, printedRows, StampLine } from "./cells.tsx";
import type { ReportData } from "./figures.ts";
import { STYLE } from "./style.ts";

/** A figure and its drawing as an SVG element; null if it could not be drawn. */
interface DrawnFigure {
  readonly cellId: string;
  readonly figure: Figure;
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
      <TooltipProvider>
        <ReportPage data={data} figures={figures} style={`${style}${STYLE}`} />
      </TooltipProvider>
    </PrintingContext>,
  );
  return `<!doctype html>\n${page}\n`;
}

function ReportPage({
  data,
  figures,
  style,
}: {
  readonly data: ReportData;
  readonly figures: readonly DrawnFigure[];
  readonly style: string;
}) {
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
          columns={readableColumns(figure).map((column): Column<Row> => ({
            ...{ id: column.name, label: axisText(column), cell: (row) => cellText(column, row) },
            ...(column.type === "number" ? { look: "number" } : {}),
          }))}
          limit={printedRows(ROWS, rows.length, "row", "“Figures as files” exports all")}
        />
      </details>
      <p className="soft">{sourceText(source)}</p>
    </figure>
  );
}
