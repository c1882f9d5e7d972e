/** @file Where a question is written: Enter asks, Shift + Enter makes a new line, the arrows bring earlier ones back. */

import {
  useLayoutEffect,
  useRef,
  useState,
  type ChangeEvent,
  type KeyboardEvent,
  type ReactNode,
} from "react";
import { Button } from "../../controls/Button.tsx";
import { NOT_RECALLING, recallQuestion } from "./history.ts";
import { Row, Stack, Text } from "../../controls/layout.tsx";
import s from "./QuestionBox.module.css";

interface QuestionProps {
  readonly question: string;
  readonly onQuestion: (question: string) => void;
  readonly onAsk: () => void;
  /** Earlier questions, newest first. */
  readonly earlier: readonly string[];
}

export function QuestionBox({
  busy,
  disabled,
  tools,
  ...props
}: QuestionProps & {
  readonly busy: boolean;
  readonly disabled: boolean;
  /** At the right end of the line below. */
  readonly tools: ReactNode;
}) {
  const { question, onAsk, earlier } = props;
  const box = useHeightOfText(question);
  const canAsk = !busy && !disabled && question.trim() !== "";
  const writing = useWriting(props, canAsk);
  return (
    <Stack gap="0.5rem">
      <label className={s.question}>
        <span className="visually-hidden">Question</span>
        <textarea
          ref={box}
          rows={1}
          value={question}
          placeholder="Ask the memory"
          disabled={disabled}
          spellCheck
          {...writing}
        />
      </label>
      <Row wrap align="center" gap="0.4rem 0.6rem">
        <Button look="primary" size="s" disabled={!canAsk} onClick={onAsk}>
          Ask
        </Button>
        {tools}
        <Text flex="end" tone="soft" size="s" className={s.hint} aria-live="polite">
          {busy && question.trim() !== "" ? (
            "One question at a time: press Enter again when the answer is there."
          ) : (
            <Keys earlier={earlier.length > 0} />
          )}
        </Text>
      </Row>
    </Stack>
  );
}

function Keys({ earlier }: { readonly earlier: boolean }) {
  return (
    <>
      <kbd>Enter</kbd> asks, <kbd>Shift Enter</kbd> makes a line
      {earlier && (
        <>
          , <kbd>↑</kbd> earlier questions
        </>
      )}
    </>
  );
}

/** What is typed, and the keys that mean more than a letter. */
function useWriting({ question, onQuestion, onAsk, earlier }: QuestionProps, canAsk: boolean) {
  const [recall, setRecall] = useState(NOT_RECALLING);
  const onEnter = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.nativeEvent.isComposing) return;
    // Shift + Enter would run the cell and leave it; in a question it is a new line.
    event.stopPropagation();
    if (event.shiftKey) return;
    event.preventDefault();
    setRecall(NOT_RECALLING);
    if (canAsk) onAsk();
  };
  const onArrow = (event: KeyboardEvent<HTMLTextAreaElement>, older: boolean): void => {
    const next = atEdge(event.currentTarget, older) && recallQuestion(recall, question, earlier, older);
    if (!next) return;
    event.preventDefault();
    setRecall(next.recall);
    onQuestion(next.text);
  };
  return {
    onChange: ({ target }: ChangeEvent<HTMLTextAreaElement>): void => {
      setRecall(NOT_RECALLING);
      onQuestion(target.value);
    },
    onKeyDown: (event: KeyboardEvent<HTMLTextAreaElement>): void => {
      if (event.key === "Enter") onEnter(event);
      else if (event.key === "ArrowUp" || event.key === "ArrowDown") onArrow(event, event.key === "ArrowUp");
    },
  };
}

/** A box as tall as its text, so that nothing scrolls in one of two lines. */
function useHeightOfText(text: string) {
  const box = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const area = box.current;
    if (!area) return;
    area.style.height = "auto";
    // The height of a border box holds its borders, what scrolls in it does not.
    area.style.height = `${area.scrollHeight + area.offsetHeight - area.clientHeight}px`;
  }, [text]);
  return box;
}

/** Up acts on the first line and Down on the last: within a longer question they move. */
function atEdge({ value, selectionStart, selectionEnd }: HTMLTextAreaElement, first: boolean): boolean {
  return first ? !value.slice(0, selectionStart).includes("\n") : !value.slice(selectionEnd).includes("\n");
}
