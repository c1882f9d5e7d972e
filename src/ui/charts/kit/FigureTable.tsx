/** @file The data behind a figure: every row and column, a part at a time. */

import { useState } from "react";
import type { Figure } from "../../../figures/figure.ts";
import { Button } from "../../controls/Button.tsx";
import { count } from "../../format.ts";
import { axisText, valueText } from "./text.ts";
import s from "./Figure.module.css";

/** Rows drawn at first, and more of at a time. */
const PART = 100;

export function FigureTable({ figure: { title, columns, rows } }: { readonly figure: Figure }) {
  const [shown, setShown] = useState(PART);
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
              {columns.map(({ name, type }) => (
                <td key={name} className={type === "number" ? s.number : undefined}>
                  {valueText(row[name])}
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
