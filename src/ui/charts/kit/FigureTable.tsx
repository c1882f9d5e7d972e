/**
 * @file The data behind a figure: every row and column, a part at a time. Where the facts are at hand, a key is the way
 * into the inspector, and a row that counts facts lists them.
 */

import { useState } from "react";
import type { Column, Row } from "../../../figures/figure.ts";
import { isLeading, readableColumns } from "../../../figures/links.ts";
import { traitsOf, type FigureKind, type FigureOf, type RowOf } from "../../../figures/registry.ts";
import type { FactId } from "../../../records/ids.ts";
import { Button } from "../../controls/Button.tsx";
import { count, counted } from "../../format.ts";
import { axisText, cellText } from "./text.ts";
import s from "./Figure.module.css";

/** Rows drawn at first, and more of at a time. */
const PART = 100;

export function FigureTable<K extends FigureKind>({
  figure,
  pick,
  open,
}: {
  readonly figure: FigureOf<K>;
  readonly pick: ((row: RowOf<K>) => void) | null;
  readonly open: ((id: FactId) => void) | null;
}) {
  const [shown, setShown] = useState(PART);
  const { title, rows } = figure;
  const columns = readableColumns(figure);
  const lists = traitsOf<K>(figure.kind).leads === "list" ? pick : null;
  const wayOf = (column: Column, row: RowOf<K>): (() => void) | null => {
    const id = factNamed(column, row);
    if (id !== null && open) return () => open(id);
    if (!lists || column !== columns[0] || !isLeading<K>(figure, row)) return null;
    return () => lists(row);
  };
  return (
    <div className={s.tableBox} tabIndex={0} role="region" aria-label={`Data of “${title}”`}>
      <table className={s.table}>
        <caption className="visually-hidden">{title}</caption>
        <Head columns={columns} />
        <tbody>
          {rows.slice(0, shown).map((row, i) => (
            <tr key={i}>
              {columns.map((column) => (
                <Cell key={column.name} column={column} row={row} go={wayOf(column, row)} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > shown && (
        <Button look="quiet" size="s" onClick={() => setShown(shown + 10 * PART)}>
          {count(shown)} of {counted(rows.length, "row")}; show more
        </Button>
      )}
    </div>
  );
}

/** The fact that a cell names. */
function factNamed({ fact }: Column, row: Row): FactId | null {
  const id = fact === undefined ? null : row[fact];
  return typeof id === "string" ? (id as FactId) : null;
}

const alignment = ({ type }: Column) => (type === "number" ? s.number : undefined);

function Head({ columns }: { readonly columns: readonly Column[] }) {
  return (
    <thead>
      <tr>
        {columns.map((column) => (
          <th key={column.name} scope="col" className={alignment(column)}>
            {axisText(column)}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function Cell({
  column,
  row,
  go,
}: {
  readonly column: Column;
  readonly row: Row;
  readonly go: (() => void) | null;
}) {
  const words = column.fact === undefined ? "list its facts" : "open this fact";
  return (
    <td className={alignment(column)}>
      <Linked go={go} words={words}>
        {cellText(column, row)}
      </Linked>
    </td>
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
