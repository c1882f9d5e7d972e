/** @file The title of a cell, renamed in place. */

import { useEffect, useRef, useState } from "react";
import type { Cell } from "../../../records/notebook.ts";
import { useActions, useCanWrite } from "../../app.tsx";
import s from "./CellTitle.module.css";

/** Asks the title of a cell to be edited; the cell's menu sends it. */
export const RENAME_EVENT = "palimpsest:rename";

export function CellTitle({ cell }: { readonly cell: Cell }) {
  const { renameCell } = useActions();
  const canWrite = useCanWrite();
  const [editing, setEditing] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const listen = (event: Event): void => {
      if ((event as CustomEvent<string>).detail === cell.id) setEditing(true);
    };
    addEventListener(RENAME_EVENT, listen);
    return () => removeEventListener(RENAME_EVENT, listen);
  }, [cell.id]);
  useEffect(() => {
    if (editing) input.current?.select();
  }, [editing]);
  if (editing)
    return (
      <input
        ref={input}
        className={s.input}
        aria-label="Title of the cell"
        value={cell.title}
        onChange={({ target }) => renameCell(cell.id, target.value)}
        onBlur={() => setEditing(false)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" && event.key !== "Escape") return;
          event.stopPropagation();
          setEditing(false);
        }}
      />
    );
  if (!cell.title) return null;
  return (
    <h2 className={s.title}>
      {canWrite ? (
        <button type="button" className={s.button} title="Rename" onClick={() => setEditing(true)}>
          {cell.title}
        </button>
      ) : (
        cell.title
      )}
    </h2>
  );
}
