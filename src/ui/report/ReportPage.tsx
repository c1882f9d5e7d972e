/**
 * @file The report as elements: the notebook's cells with their outputs, stamps and figures, for static markup. All
 * text goes through React and is escaped; drawings are SVG that this app drew itself.
 */

import type { ReactNode } from "react";
import type { Figure } from "../../figures/figure.ts";
import { readableColumns } from "../../figures/links.ts";
import { cellTitle, KINDS } from "../../notebook/kinds.ts";
import type { Cell } from "../../records/notebook.ts";
import { axisText, cellText, sourceText } from "../charts/kit/text.ts";
import { count, counted, dateTime } from "../format.ts";
import { CellReport } from "./cells.tsx";
import type { ReportData } from "./figures.ts";
import { StampLine } from "./StampLine.tsx";

/** A figure with its drawing as the text of an SVG element; null where it could not be drawn. */
export interface DrawnFigure {
  readonly cellId: string;
  readonly figure: Figure;
  readonly svg: string | null;
}

/** Nothing is fetched and nothing runs, whatever the page holds. */
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
            Begun {dateTime(notebook.created)}, last changed {dateTime(notebook.updated)}.{" "}
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
                    told={
                      sourceText(drawn.figure.source) === sourceText(all[n + 1]?.figure.source ?? NOWHERE)
                    }
                  />
                ))}
            </section>
          ))}
        </main>
        <footer>
          Exported from Palimpsest, {dateTime(made)}. This page stands alone: it fetches nothing and runs
          nothing.
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

/** Rows of data that a figure's table holds; the whole is exported as CSV. */
const ROWS = 500;

const NOWHERE = { run: "no figure", model: "", backend: "", at: "", app: "" };

/** `told`: the next figure is of the same run, and the last of them names it. */
function FigureReport({ figure, svg, told }: DrawnFigure & { readonly told: boolean }): ReactNode {
  const { title, caption, rows, source } = figure;
  const columns = readableColumns(figure);
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
        <div className="table" tabIndex={0} role="group" aria-label={`Data of ${title}`}>
          <table>
            <thead>
              <tr>
                {columns.map((column) => (
                  <th key={column.name} scope="col" className={column.type === "number" ? "n" : undefined}>
                    {axisText(column)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.slice(0, ROWS).map((row, i) => (
                <tr key={i}>
                  {columns.map((column) => (
                    <td key={column.name} className={column.type === "number" ? "n" : undefined}>
                      {cellText(column, row)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        {rows.length > ROWS && (
          <p className="soft">
            The first {count(ROWS)} of {counted(rows.length, "row")}; “Figures as files” has them all.
          </p>
        )}
      </details>
      {!told && <p className="soft">{sourceText(source)}</p>}
    </figure>
  );
}
