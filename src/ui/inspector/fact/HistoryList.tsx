/** @file What happened to a fact, newest first, with the way to the cell that shows it. */

import { useMemo, useState } from "react";
import type { FactRow, Notebook } from "../../../records/notebook.ts";
import { Button } from "../../controls/Button.tsx";
import { counted, dateTime } from "../../format.ts";
import { goToCell } from "../../shell/goToCell.ts";
import { historyOf } from "./history.ts";
import s from "./FactPanel.module.css";

/** Events shown before "and 10 more". */
const SHOWN = 6;

export function HistoryList({ notebook, row }: { readonly notebook: Notebook; readonly row: FactRow }) {
  const events = useMemo(() => historyOf(notebook, row), [notebook, row]);
  const [all, setAll] = useState(false);
  const shown = all ? events : events.slice(0, SHOWN);
  return (
    <>
      <ol className={s.history}>
        {shown.map(({ kind, at, text, ran, cellId }, i) => (
          <li key={i}>
            <span className={s.kind}>{kind}</span> {text}
            <span className={s.when}>
              <span>
                {at ? <time dateTime={at}>{dateTime(at)}</time> : "when is not known"}
                {ran && `, ${ran}`}
              </span>
              {cellId && (
                <button
                  type="button"
                  className={s.link}
                  onClick={() => {
                    goToCell(cellId);
                  }}
                >
                  show its cell
                </button>
              )}
            </span>
          </li>
        ))}
      </ol>
      {events.length > shown.length && (
        <Button
          look="quiet"
          size="s"
          onClick={() => {
            setAll(true);
          }}
        >
          Show {counted(events.length - shown.length, "earlier event")}
        </Button>
      )}
    </>
  );
}
