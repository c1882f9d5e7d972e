/**
 * @file The report as elements: the notebook's cells with their outputs, stamps and figures, for static markup. React
 * escapes all text; drawings are SVG that this app drew.
 */

import type { ReactNode } from "react";
import type { Figure, Row } from "../../figures/figure.ts";
import { readableColumns } from "../../figures/links.ts";
import { cellTitle, KINDS } from "../../notebook/kinds.ts";
import type { Cell } from "../../records/notebook.ts";
import { axisText, cellText, sourceText } from "../charts/kit/text.ts";
import { count, counted, dateTime } from "../format.ts";
import type { Column } from "../table/column.ts";
import { Table } from "../table/Table.tsx";
import { CellReport, StampLine } from "./cells.tsx";
import type { ReportData } from "./figures.ts";

/** A figure and its drawing as an SVG element; null if it could not be drawn. */
export interface DrawnFigure {
  readonly cellId: string;
  readonly figure: Figure;
  readonly svg: string | null;
}

const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

export function ReportPage({
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
                .map((drawn, n, all) => (
                  <FigureReport
                    key={n}
                    {...drawn}
                    named={
                      n + 1 < all.length &&
                      sourceText(drawn.figure.source) === sourceText(all[n + 1]!.figure.source)
                    }
                  />
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

function FigureReport({ figure, svg, named }: DrawnFigure & { readonly named: boolean }): ReactNode {
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
          limit={{
            first: ROWS,
            more: () => null,
            print: {
              first: ROWS,
              rest: `The first ${count(ROWS)} of ${counted(rows.length, "row")}; “Figures as files” exports all.`,
            },
          }}
        />
      </details>
      {!named && <p className="soft">{sourceText(source)}</p>}
    </figure>
  );
}
