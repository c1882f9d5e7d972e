/** @file The cell of a question set: questions with expected answers, pasted or dropped, and how each run of them went. */

import { LONGEST_SET, readQuestionSet, tooLong, type QuestionSet } from "../../../notebook/questionSet.ts";
import { questionParams, SHARP } from "../../../records/params.ts";
import { isGoing } from "../../../state/going.ts";
import { useActions, useApp, useCanWrite, useRun, type CellProps } from "../../app.tsx";
import { DropZone, type NamedFile } from "../../controls/DropZone.tsx";
import { TextArea } from "../../controls/Field.tsx";
import { toast } from "../../controls/toasts.ts";
import { counted } from "../../format.ts";
import { ReadSettings } from "../../parameters/ReadSettings.tsx";
import { Outcome } from "./Outcome.tsx";
import { Stack, Text } from "../../controls/layout.tsx";
import s from "./QuestionsCell.module.css";

/** Lines of the text that are in sight at once. */
const [FEWEST_LINES, MOST_LINES] = [4, 12];

export function QuestionsCell({ cell }: CellProps<"questions">) {
  const { setInput } = useActions();
  const canWrite = useCanWrite();
  const run = useRun(cell.id);
  const disabled = !canWrite || isGoing(run);
  const defaults = useApp(({ memory }) => memory.info?.params ?? SHARP);
  const { text, params } = cell.input;
  const set = readQuestionSet(text);
  const change = (next: Partial<typeof cell.input>): void =>
    setInput(cell.id, "questions", (input) => ({ ...input, ...next }));
  const read = async ([dropped]: readonly NamedFile[]): Promise<void> => {
    if (!dropped) return;
    // In UTF-8 a character may take more than a byte.
    if (dropped.file.size > 2 * LONGEST_SET) toast.failed(tooLong(dropped.file.size));
    else change({ text: await dropped.file.text() });
  };
  return (
    <Stack gap="1rem">
      <DropZone
        accept=".csv,.tsv,.txt"
        pick="Choose a file"
        disabled={disabled}
        onFiles={(files) => void read(files)}
      >
        <Text as="p" font="serif">
          Drop a table of questions
        </Text>
        <Text as="p" tone="soft" size="s">
          .csv, .tsv or .txt; it takes the place of what stands below.
        </Text>
      </DropZone>
      <TextArea
        label="Questions with expected answers"
        hint={HINT}
        error={set.problem}
        value={text}
        disabled={disabled}
        spellCheck={false}
        rows={Math.min(MOST_LINES, Math.max(FEWEST_LINES, text.split("\n").length))}
        placeholder={PLACEHOLDER}
        onChange={(next) => change({ text: next })}
      />
      <div className={s.line}>
        <span>{countText(set)}</span>
        <ReadSettings
          settings={params}
          defaults={questionParams(defaults)}
          disabled={disabled}
          onChange={(next) => change({ params: next })}
        />
      </div>
      {cell.output && <Outcome runs={cell.output.runs} />}
    </Stack>
  );
}

const PLACEHOLDER = "Where is Mary? hallway\nWho has the lantern? Sandra | John\nWho is the mayor? –";
const HINT =
  "One question a line with its answer behind it, or a table: question, answer, words of the sentence that is needed; " +
  "where these are not given, any stored sentence that holds an answer counts as needed. " +
  "| stands between answers that are right as well, a dash says that the texts hold none. What has no answer is asked and not judged.";

/** "12 questions, 10 with an answer, 1 that the texts do not answer, 1 not judged". */
function countText({ questions }: QuestionSet): string {
  const unjudged = questions.filter(({ answers }) => answers === null).length;
  const unanswerable = questions.filter(({ answers }) => answers?.length === 0).length;
  const answered = questions.length - unjudged - unanswerable;
  return [
    counted(questions.length, "question"),
    questions.length > 0 && `${answered} with an answer`,
    unanswerable > 0 && `${unanswerable} that the texts do not answer`,
    unjudged > 0 && `${unjudged} not judged`,
  ]
    .filter(Boolean)
    .join(", ");
}
