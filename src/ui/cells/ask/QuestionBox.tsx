/** @file Where a question is written: Enter asks, Shift + Enter makes a new line, the arrows bring earlier ones back. */

import { useLayoutEffect, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { Button } from "../../controls/Button.tsx";
import { NOT_RECALLING, recallQuestion } from "./history.ts";
import s from "./QuestionBox.module.css";

export function QuestionBox({
  question,
  onQuestion,
  onAsk,
  earlier,
  busy,
  disabled,
  tools,
}: {
  readonly question: string;
  readonly onQuestion: (question: string) => void;
  readonly onAsk: () => void;
  /** Earlier questions, newest first. */
  readonly earlier: readonly string[];
  readonly busy: boolean;
  readonly disabled: boolean;
  /** At the right end of the line below. */
  readonly tools: ReactNode;
}) {
  const box = useHeightOfText(question);
  const [recall, setRecall] = useState(NOT_RECALLING);
  const canAsk = !busy && !disabled && question.trim() !== "";
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.key === "Enter") {
      if (event.ctrlKey || event.metaKey || event.nativeEvent.isComposing) return;
      // Shift + Enter would run the cell and leave it; in a question it is a new line.
      event.stopPropagation();
      if (event.shiftKey) return;
      event.preventDefault();
      setRecall(NOT_RECALLING);
      if (canAsk) onAsk();
    }
    if (event.key === "ArrowUp" || event.key === "ArrowDown") {
      const older = event.key === "ArrowUp";
      if (!atEdge(event.currentTarget, older)) return;
      const next = recallQuestion(recall, question, earlier, older);
      if (!next) return;
      event.preventDefault();
      setRecall(next.recall);
      onQuestion(next.text);
    }
  };
  return (
    <div className={s.ask}>
      <label className={s.question}>
        <span className="visually-hidden">Question</span>
        <textarea
          ref={box}
          rows={1}
          value={question}
          placeholder="Ask the memory"
          disabled={disabled}
          spellCheck
          onChange={({ target }) => {
            setRecall(NOT_RECALLING);
            onQuestion(target.value);
          }}
          onKeyDown={onKeyDown}
        />
      </label>
      <div className={s.tools}>
        <Button look="primary" size="s" disabled={!canAsk} onClick={onAsk}>
          Ask
        </Button>
        {tools}
        <span className={s.hint}>
          <kbd>Enter</kbd> asks, <kbd>Shift Enter</kbd> makes a line
          {earlier.length > 0 && (
            <>
              , <kbd>↑</kbd> earlier questions
            </>
          )}
        </span>
      </div>
    </div>
  );
}

/** A box as tall as its text, so that nothing scrolls in one of two lines. */
function useHeightOfText(text: string) {
  const box = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const area = box.current;
    if (!area) return;
    area.style.height = "auto";
    area.style.height = `${area.scrollHeight}px`;
  }, [text]);
  return box;
}

/** Up acts on the first line and Down on the last: within a longer question they move. */
function atEdge({ value, selectionStart, selectionEnd }: HTMLTextAreaElement, first: boolean): boolean {
  return first ? !value.slice(0, selectionStart).includes("\n") : !value.slice(selectionEnd).includes("\n");
}
