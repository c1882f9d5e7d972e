/** @file The ask cell: a question, its answer with the facts it rests on, and the questions asked before. */

import { type KeyboardEvent, type ReactNode } from "react";
import { SHARP, questionParams } from "../../../records/params.ts";
import type { AskProgress } from "../../../records/progress.ts";
import { isGoing } from "../../../state/runs.ts";
import { useActions, useApp, useCanWrite, useRun, type CellProps, useFactsById } from "../../app.tsx";
import { Button, Note, Row, Stack, Text, Soft } from "../../controls/basics.tsx";
import { toast } from "../../controls/page.ts";
import { FirstOf } from "../../table/Table.tsx";
import { KeptWords } from "../../facts/notices.tsx";
import { EMPTY, ExchangeView, Suggestions, useAsk } from "./ExchangeView.tsx";
import { withExchange, withoutExchange } from "./stages.ts";
import { ReadSettings } from "../../parameters/ReadSettings.tsx";
import s from "./AskCell.module.css";

const SHOWN = 4;

export function AskCell({ cell }: CellProps<"ask">) {
  const actions = useActions();
  const canWrite = useCanWrite();
  const run = useRun(cell.id);
  const busy = isGoing(run);
  const defaults = useApp(({ memory }) => memory.info?.params ?? SHARP);
  const ask = useAsk(cell.id);
  const rows = useFactsById();
  const remove = (at: string): void => {
    const takeCopy = actions.copyCell(cell);
    actions.setOutput(cell.id, "ask", ({ output }) => output && withoutExchange(output, at));
    const undo = (): void => {
      const before = takeCopy()?.output ?? null;
      actions.setOutput(cell.id, "ask", ({ output }) => withExchange(output, before, at));
    };
    toast.undoable("The question and its answer were removed.", undo, takeCopy);
  };
  const coming = run?.progress?.kind === "text" ? run.progress : null;
  return (
    <Stack gap={2}>
      <QuestionBox
        question={cell.input.question}
        onQuestion={(question) => actions.setInput(cell.id, "ask", { question })}
        onAsk={() => ask(cell.input.question)}
        busy={busy}
        disabled={!canWrite}
        tools={
          <ReadSettings
            settings={cell.input.params}
            defaults={questionParams(defaults)}
            disabled={!canWrite}
            onChange={(params) => actions.setInput(cell.id, "ask", { params })}
          />
        }
      />
      {rows?.size === 0 && <Note>{EMPTY}</Note>}
      <Suggestions cellId={cell.id} onAsk={ask} />
      {busy && <Coming text="" {...coming} question={coming?.question ?? cell.input.question} />}
      <FirstOf items={cell.output?.history ?? []} first={SHOWN} more="earlier question">
        {(shown) =>
          shown.map((exchange) => (
            <ExchangeView
              key={exchange.stamp.at}
              {...{ exchange, rows, canWrite }}
              onAskAgain={ask}
              onInspect={actions.inspect}
              onRemove={remove}
            />
          ))
        }
      </FirstOf>
      <KeptWords cell={cell} what="Answers" />
    </Stack>
  );
}

export const Coming = ({ question, text, recalled = [] }: AskProgress & { readonly question: string }) => (
  <Text as="div" ruled="top" style={{ paddingBlock: "var(--space-4) var(--space-2)" }}>
    <Text as="p" tone="soft" font="serif" italic whiteSpace="pre-line">
      {question}
    </Text>
    <Soft
      font="serif"
      style={{ minHeight: "2.2em", paddingBlock: "0.2rem" }}
      aria-live="polite"
      aria-busy="true"
    >
      {text === "" ? "Recalling" : `Answer, not yet checked: ${text}`}
      <span className={s.caret} aria-hidden="true" />
    </Soft>
    {recalled.map((sentence, i) => (
      <Text as="p" key={i} measure font="serif">
        {sentence}
      </Text>
    ))}
  </Text>
);

interface QuestionProps {
  readonly question: string;
  readonly onQuestion: (question: string) => void;
  readonly onAsk: () => void;
  readonly busy: boolean;
  readonly disabled: boolean;
  readonly tools: ReactNode;
}

export function QuestionBox({ question, onQuestion, onAsk, busy, disabled, tools }: QuestionProps) {
  const canAsk = !busy && !disabled && question.trim() !== "";
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || event.ctrlKey || event.metaKey || event.nativeEvent.isComposing) return;
    // Shift + Enter would run the cell and leave it; in a question it is a new line.
    event.stopPropagation();
    if (event.shiftKey) return;
    event.preventDefault();
    if (canAsk) onAsk();
  };
  return (
    <Stack gap="0.5rem">
      <label className={s.question}>
        <span className="visually-hidden">Question</span>
        <textarea
          rows={1}
          value={question}
          placeholder="Ask the memory"
          disabled={disabled}
          spellCheck
          onChange={({ target }) => onQuestion(target.value)}
          onKeyDown={onKeyDown}
        />
      </label>
      <Row wrap align="center" gap="0.4rem 0.6rem">
        <Button look="primary" size="s" label="Ask" disabled={!canAsk} onClick={onAsk} />
        {tools}
        <Text flex="end" tone="soft" size="s" className={s.hint} aria-live="polite">
          {busy && question.trim() !== "" ? (
            "One question at a time: press Enter again when the answer is there."
          ) : (
            <>
              <kbd>Enter</kbd> asks, <kbd>Shift Enter</kbd> makes a line
            </>
          )}
        </Text>
      </Row>
    </Stack>
  );
}
