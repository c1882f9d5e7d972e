/** @file The ask cell: a question, its answer with the facts it rests on, and the questions asked before. */

import { useEffect, useMemo, useState } from "react";
import { questionParams, SHARP } from "../../../records/params.ts";
import type { AskProgress } from "../../../records/progress.ts";
import { isGoing } from "../../../state/going.ts";
import { useActions, useApp, useCanWrite, useNotebook, useRun, type CellProps } from "../../app.tsx";
import { RecallFigures } from "../../charts/RecallFigures.tsx";
import { Button } from "../../controls/Button.tsx";
import { toast } from "../../controls/toasts.ts";
import { counted } from "../../format.ts";
import { ExchangeView } from "./ExchangeView.tsx";
import { earlierQuestions, withExchanges, withoutExchange } from "./history.ts";
import { QuestionBox } from "./QuestionBox.tsx";
import { ReadSettings } from "../../parameters/ReadSettings.tsx";
import { Stack, Text } from "../../controls/layout.tsx";
import s from "./AskCell.module.css";

/** Earlier exchanges shown before "and 10 more". */
const SHOWN = 3;

export function AskCell({ cell }: CellProps<"ask">) {
  const actions = useActions();
  const canWrite = useCanWrite();
  const run = useRun(cell.id);
  const busy = isGoing(run);
  const defaults = useApp(({ memory }) => memory.info?.params ?? SHARP);
  const put = (change: Partial<typeof cell.input>): void =>
    actions.setInput(cell.id, "ask", (input) => ({ ...input, ...change }));
  const ask = (question: string): void => {
    put({ question });
    void actions.runCell(cell.id);
  };
  const coming = run?.progress?.kind === "text" ? run.progress : null;
  return (
    <Stack gap={2}>
      <QuestionBox
        question={cell.input.question}
        onQuestion={(question) => put({ question })}
        onAsk={() => ask(cell.input.question)}
        earlier={earlierQuestions(cell.output?.history ?? [])}
        busy={busy}
        disabled={!canWrite}
        tools={
          <ReadSettings
            settings={cell.input.params}
            defaults={questionParams(defaults)}
            disabled={!canWrite}
            onChange={(params) => put({ params })}
          />
        }
      />
      {busy && <Coming text="" {...coming} question={coming?.question ?? cell.input.question} />}
      <Exchanges cell={cell} onAskAgain={ask} />
    </Stack>
  );
}

/** What was asked, newest first; of the earlier ones a few, and all when they are wanted. */
function Exchanges({
  cell,
  onAskAgain,
}: CellProps<"ask"> & { readonly onAskAgain: (question: string) => void }) {
  const actions = useActions();
  const canWrite = useCanWrite();
  const notebook = useNotebook();
  const rows = useRows();
  const history = cell.output?.history ?? [];
  const [all, setAll] = useState(false);
  const shown = all ? history : history.slice(0, 1 + SHOWN);
  const remove = (at: string): void => {
    const before = cell.output;
    actions.setOutput(cell.id, "ask", ({ output }) => output && withoutExchange(output, at));
    toast.undoable("The question and its answer were removed.", () =>
      actions.setOutput(cell.id, "ask", ({ output }) => withExchanges(output, before)),
    );
  };
  return (
    <>
      {shown.map((exchange) => (
        <ExchangeView
          key={exchange.stamp.at}
          exchange={exchange}
          rows={rows}
          canWrite={canWrite}
          onInspect={(id) => actions.inspect({ kind: "fact", id })}
          onAskAgain={onAskAgain}
          onRemove={remove}
          figures={<RecallFigures memory={notebook.id} cellId={cell.id} {...exchange} />}
        />
      ))}
      {history.length > shown.length && (
        <Button look="quiet" size="s" onClick={() => setAll(true)}>
          Show {counted(history.length - shown.length, "earlier question")}
        </Button>
      )}
    </>
  );
}

/** The model's words as they come: nothing has borne them out yet. */
export function Coming({ question, text }: AskProgress & { readonly question: string }) {
  return (
    <Text as="div" ruled="top" style={{ paddingBlock: "var(--space-4) var(--space-2)" }}>
      <Text as="p" tone="soft" font="serif" italic whiteSpace="pre-line">
        {question}
      </Text>
      <Text
        as="p"
        tone="soft"
        font="serif"
        style={{ minHeight: "2.2em", paddingBlock: "0.2rem" }}
        aria-live="polite"
        aria-busy="true"
      >
        {text === "" ? "Recalling" : `The model says, not yet checked: ${text}`}
        <span className={s.caret} aria-hidden="true" />
      </Text>
    </Text>
  );
}

/** Facts of the memory by id; null until they have been read. */
function useRows() {
  const actions = useActions();
  const facts = useApp(({ memory }) => memory.facts);
  const info = useApp(({ memory }) => memory.info);
  useEffect(() => {
    void actions.loadFacts();
  }, [actions, info]);
  return useMemo(() => facts && new Map(facts.map((row) => [row.id as string, row])), [facts]);
}
