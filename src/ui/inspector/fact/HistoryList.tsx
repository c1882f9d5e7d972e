/** @file What happened to a fact, newest first, with the way to the cell that shows it. */

import { useMemo } from "react";
import type { FactRow, Notebook } from "../../../records/notebook.ts";
import { counted, dateTime } from "../../format.ts";
import { goToCell } from "../../shell/goToCell.ts";
import { FirstOf } from "../../table/FirstOf.tsx";
import { historyOf } from "./history.ts";
import { Row, Stack, Text } from "../../controls/layout.tsx";
import s from "./FactPanel.module.css";

export function HistoryList({ notebook, row }: { readonly notebook: Notebook; readonly row: FactRow }) {
  const events = useMemo(() => historyOf(notebook, row), [notebook, row]);
  return (
    <FirstOf items={events} first={6} more={(_, rest) => `Show ${counted(rest, "earlier event")}`}>
      {(shown) => (
        <Stack as="ol" gap="0.6rem" size="s" plainList className={s.history}>
          {shown.map(({ kind, at, text, ran, cellId }, i) => (
            <li key={i}>
              <Text weight="bold">{kind}</Text> {text}
              <Row as="span" wrap gap="0 0.6rem" tone="soft" size="xs">
                <span>
                  {at ? <time dateTime={at}>{dateTime(at)}</time> : "when is not known"}
                  {ran && `, ${ran}`}
                </span>
                {cellId && (
                  <button type="button" className={s.link} onClick={() => goToCell(cellId)}>
                    show its cell
                  </button>
                )}
              </Row>
            </li>
          ))}
        </Stack>
      )}
    </FirstOf>
  );
}
