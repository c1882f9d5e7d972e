/** @file Buttons of tables: the name of a column, which sorts, and the arrow that opens the parts of a row. */

import { Icon } from "../controls/Icon.tsx";
import type { Column, Sort } from "./column.ts";
import s from "./Head.module.css";

type Named = Pick<Column<never>, "id" | "label" | "about">;

export function SortButton({
  column: { id, label, about },
  sort,
  onSort,
}: {
  readonly column: Named;
  readonly sort: Sort | null;
  readonly onSort: (column: string) => void;
}) {
  const on = sort?.column === id;
  return (
    <button
      type="button"
      className={s.button}
      title={about ? `${about}; press to sort` : "press to sort"}
      onClick={() => onSort(id)}
    >
      {label}
      <span className={s.arrow} data-on={on}>
        <Icon name={on && sort.descending ? "down" : "up"} size={11} />
      </span>
    </button>
  );
}

export function sortedAs(column: Pick<Named, "id">, sort: Sort | null): "none" | "ascending" | "descending" {
  if (sort?.column !== column.id) return "none";
  return sort.descending ? "descending" : "ascending";
}

export function PartsButton({
  open,
  name,
  onToggle,
  ...rest
}: {
  readonly open: boolean;
  readonly name: string;
  readonly onToggle: () => void;
  readonly tabIndex?: number;
}) {
  return (
    <button
      type="button"
      className={s.parts}
      aria-expanded={open}
      aria-label={`Parts of ${name}`}
      onClick={(event) => {
        event.stopPropagation();
        onToggle();
      }}
      {...rest}
    >
      <Icon name="right" size={13} />
    </button>
  );
}
