/**
 * @file The data behind a figure: every row and column, a part at a time. Where the facts are at hand, a key is the way
 * into the inspector, and a row that counts facts lists them.
 */

import { useState } from "react";
import type { Column, Figure, Row } from "../../../figures/figure.ts";
import { isLeading, leadsTo, readableColumns } from "../../../figures/links.ts";
import type { FactId } from "../../../records/ids.ts";
import { Button } from "../../controls/Button.tsx";
import { count } from "../../format.ts";
import { axisText, valueText } from "./text.ts";
import s from "./Figure.module.css";

/** Rows drawn at first, and more of at a time. */
const PART = 100;

export function FigureTable({
  figure,
  pick,
  open,
}: {
  readonly figure: Figure;
  readonly pick: ((row: Row) => void) | null;
  readonly open: ((id: FactId) => void) | null;
}) {
  const [shown, setShown] = useState(PART);
  const { title, rows } = figure;
  const columns = readableColumns(figure);
  const lists = leadsTo(figure) === "list" && pick;
  const wayOf = ({ name, fact }: Column, row: Row): (() => void) | null => {
    if (fact !== undefined && open && typeof row[fact] === "string")
      return () => {
        open(row[fact] as FactId);
      };
    return lists && name === columns[0]?.name && isLeading(figure, row)
      ? () => {
          pick(row);
        }
      : null;
  };
  return (
    <div className={s.tableBox} tabIndex={0} role="region" aria-label={`Data of “${title}”`}>
      <table className={s.table}>
        <caption className="visually-hidden">{title}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.name} scope="col" className={column.type === "number" ? s.number : undefined}>
                {axisText(column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, shown).map((row, i) => (
            <tr key={i}>
              {columns.map((column) => (
                <td key={column.name} className={column.type === "number" ? s.number : undefined}>
                  <Linked
                    go={wayOf(column, row)}
                    words={column.fact === undefined ? "list its facts" : "open this fact"}
                  >
                    {valueText(row[column.name])}
                  </Linked>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > shown && (
        <Button
          look="quiet"
          size="s"
          onClick={() => {
            setShown(shown + 10 * PART);
          }}
        >
          {count(shown)} of {count(rows.length)} rows; show more
        </Button>
      )}
    </div>
  );
}

function Linked({
  go,
  words,
  children,
}: {
  readonly go: (() => void) | null;
  readonly words: string;
  readonly children: string;
}) {
  if (!go) return children;
  return (
    <button type="button" className={s.link} aria-label={`${children}: ${words}`} onClick={go}>
      {children}
    </button>
  );
}
