/** @file Questions to begin with: they are made by rule from sentences that the model says, and each leads to its sentence. */

import { useEffect } from "react";
import { isGoing, somethingGoes } from "../../../state/runs.ts";
import { useActions, useApp, useCanWrite, useFactRows, useNotebook, useRun } from "../../app.tsx";
import { Button, Note, Row, Stack } from "../../controls/basics.tsx";

export function Suggestions({ cellId }: { readonly cellId: string }) {
  const { cells } = useNotebook();
  const canWrite = useCanWrite();
  const busy = isGoing(useRun(cellId));
  const ask = useAsk(cellId);
  const suggested = useSuggestions();
  const cell = cells.find(({ id }) => id === cellId);
  const history = cell?.kind === "ask" ? (cell.output?.history ?? []) : [];
  const left = suggested.filter((question) => !history.some(({ answer }) => answer.question === question));
  if (left.length === 0 || !canWrite) return null;
  return (
    <Stack gap={1} role="group" aria-label="Suggested questions">
      <Note>{history.length === 0 ? "Questions that this memory answers" : "Ask another"}</Note>
      <Row wrap gap={2}>
        {left.map((question) => (
          <Button key={question} size="s" disabled={busy} label={question} onClick={() => ask(question)} />
        ))}
      </Row>
    </Stack>
  );
}

export function useAsk(cellId: string): (question: string) => void {
  const { setInput, runCell } = useActions();
  return (question) => {
    setInput(cellId, "ask", (input) => ({ ...input, question }));
    void runCell(cellId);
  };
}

/** Questions about the open memory, once its facts are read back and nothing runs. */
function useSuggestions(): readonly string[] {
  const { suggestQuestions } = useActions();
  const rows = useFactRows();
  const suggested = useApp(({ memory }) => memory.suggested);
  const fromExample = useApp(({ memory }) => memory.fromExample);
  const said = useApp(({ memory }) => memory.said.size);
  const open = useApp(({ device }) => device.model !== null);
  const busy = useApp(somethingGoes);
  const readBack = rows !== null && rows.length > 0 && said >= Math.min(rows.length, READ_BACK);
  const wanted = readBack && open && !busy && !fromExample && suggested.length === 0;
  useEffect(() => {
    if (wanted) void suggestQuestions();
  }, [wanted, rows, suggestQuestions]);
  return suggested;
}

/** Facts of a large memory that are read back before questions are made from them. */
const READ_BACK = 300;
