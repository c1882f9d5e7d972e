/** @file The cell of a question set: questions with expected answers, pasted or dropped, and how each run of them went. */

import {
  LONGEST_SET,
  askedCsv,
  expectedText,
  readQuestionSet,
  tooLong,
} from "../../../notebook/questionSet.ts";
import { widthOf, withNames } from "../../../notebook/questionTables.ts";
import type { QuestionSet } from "../../../notebook/questionLines.ts";
import { SHARP, questionParams } from "../../../records/params.ts";
import { KeptWords } from "../../facts/notices.tsx";
import { isGoing } from "../../../state/runs.ts";
import { useActions, useApp, useCanWrite, useRun, type CellProps } from "../../app.tsx";
import { DropZone, type NamedFile } from "../../controls/DropZone.tsx";
import { TextArea, Select } from "../../controls/Field.tsx";
import { toast, saveFile } from "../../controls/page.ts";
import { count, counted, dateTime, duration } from "../../format.ts";
import { ReadSettings, settingsLine } from "../../parameters/ReadSettings.tsx";
import { Row, Stack, Text, usePrinting, Note, Button } from "../../controls/basics.tsx";
import type { AskedQuestion, QuestionsCell as SetCell } from "../../../records/notebook.ts";
import {
  FAILED_STAGES,
  FAILURES,
  SENTENCES_SHOWN,
  SHARE_LABELS,
  failuresOf,
  sharesOf,
  type JudgedQuestion,
  type Share,
  type ShareName,
} from "../../../records/judge.ts";
import { useState } from "react";
import { type Column, Table } from "../../table/Table.tsx";
import { mcnemar } from "../../../lib/paired.ts";
import s from "./QuestionsCell.module.css";

const [FEWEST_LINES, MOST_LINES] = [4, 12];

export function QuestionsCell({ cell }: CellProps<"questions">) {
  const { setInput } = useActions();
  const canWrite = useCanWrite();
  const run = useRun(cell.id);
  const disabled = !canWrite || isGoing(run);
  const defaults = useApp(({ memory }) => memory.info?.params ?? SHARP);
  const { text, params } = cell.input;
  const set = setOf(cell.input);
  const change = (next: Partial<typeof cell.input>): void => setInput(cell.id, "questions", next);
  const read = async ([dropped]: readonly NamedFile[]): Promise<void> => {
    if (!dropped) return;
    // In UTF-8 a character may take more than a byte.
    if (dropped.file.size > 2 * LONGEST_SET) toast.failed(tooLong(dropped.file.size));
    else change({ text: await dropped.file.text() });
  };
  return (
    <Stack gap="1rem">
      <DropZone
        accept=".csv,.tsv,.txt,.json,.jsonl"
        pick="Choose a file"
        disabled={disabled}
        onFiles={(files) => void read(files)}
      >
        <Text as="p" font="serif">
          Drop a table of questions
        </Text>
        <Note>.csv, .tsv, .jsonl or .txt; replaces the questions below.</Note>
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
      {set.rows && (
        <ColumnChoice
          set={set}
          disabled={disabled}
          onChoose={(at) => change({ text: withNames(set, ...at) })}
        />
      )}
      <Row wrap align="center" gap="0.5rem 1.5rem" justify="between" tone="soft" size="s">
        <span>{countText(set)}</span>
        <ReadSettings
          settings={params}
          defaults={questionParams(defaults)}
          disabled={disabled}
          onChange={(next) => change({ params: next })}
        />
      </Row>
      {cell.output && <Outcome runs={cell.output.runs} />}
      <KeptWords cell={cell} what="Answers" />
    </Stack>
  );
}

/** Whether a run has nothing to ask: the set is refused or empty. */
QuestionsCell.refuses = ({ input }: SetCell): boolean => setOf(input).questions.length === 0;

const sets = new WeakMap<SetCell["input"], ReturnType<typeof readQuestionSet>>();

/** The set of an input, read once for the body of the cell and its button. */
function setOf(input: SetCell["input"]) {
  const set = sets.get(input) ?? readQuestionSet(input.text);
  sets.set(input, set);
  return set;
}

const PLACEHOLDER = "Where is Mary? hallway\nWho has the lantern? Sandra | John\nWho is the mayor? –";
const HINT =
  "One question per line, with its answer behind it or on the line below; or a table: question, answer, words of the needed sentence. " +
  "Without such words, any stored sentence that contains an answer counts as needed. " +
  "| separates alternative answers; a dash means that the texts have no answer. A question without an answer is asked but not judged.";

function countText({ questions, note }: QuestionSet): string {
  const unjudged = questions.filter(({ answers }) => answers === null).length;
  const unanswerable = questions.filter(({ answers }) => answers?.length === 0).length;
  const parts = [
    counted(questions.length, "question"),
    questions.length > 0 && `${questions.length - unjudged - unanswerable} with an answer`,
    unanswerable > 0 && `${unanswerable} that the texts do not answer`,
    unjudged > 0 && `${unjudged} not judged`,
  ];
  return parts.filter(Boolean).join(", ") + (note === undefined ? "" : `. ${note}`);
}

interface ColumnChoiceProps {
  readonly set: QuestionSet;
  readonly disabled: boolean;
  readonly onChoose: (columns: readonly [question: number, answer: number]) => void;
}

function ColumnChoice({ set: { rows = [] }, disabled, onChoose }: ColumnChoiceProps) {
  const [[question, answer], setColumns] = useState<readonly [number, number]>([0, 1]);
  const options = Array.from({ length: widthOf(rows) }, (_, i) => {
    const cells = rows.slice(0, 2).map((row) => row[i] ?? "");
    return { value: String(i), label: `${i + 1}: ${cells.join(", ").slice(0, 60)}` };
  });
  return (
    <Row wrap align="end" gap="0.5rem 1rem">
      <Select
        label="Column of the questions"
        value={String(question)}
        options={options}
        disabled={disabled}
        onChange={(next) => setColumns([Number(next), answer])}
      />
      <Select
        label="Column of the answers"
        value={String(answer)}
        options={[...options, { value: "-1", label: "none" }]}
        disabled={disabled}
        onChange={(next) => setColumns([question, Number(next)])}
      />
      <Button
        size="s"
        label="Use these columns"
        disabled={disabled || question === answer}
        onClick={() => onChoose([question, answer])}
      />
    </Row>
  );
}

type QuestionRun = NonNullable<SetCell["output"]>["runs"][number];

const FIRST = 20;

export function Outcome({ runs }: { readonly runs: readonly QuestionRun[] }) {
  const [run, before] = runs;
  if (!run) return null;
  const judged = judgedOf(run.questions);
  const shares = sharesOf(judged);
  const failures = failuresOf(judged);
  return (
    <Stack gap="1rem">
      <Accuracy run={run} before={before} />
      {judged.length > 0 && (
        <>
          <Table
            caption="How far the questions came"
            columns={SHARE_COLUMNS}
            rows={SHARES.map((name) => ({ name, ...shares[name] }))}
            className={s.shares}
          />
          <Note>
            Questions that failed, and at what:{" "}
            {FAILED_STAGES.map((stage) => `${FAILURES[stage]}: ${failures[stage]}`).join(", ")}.
          </Note>
        </>
      )}
      <Table
        caption="Every question of the set"
        columns={QUESTION_COLUMNS}
        rows={run.questions}
        limit={{ first: FIRST, more: "more question" }}
        stacks
      />
      {runs.length > 1 && (
        <>
          <Text as="h3" tone="soft" size="s" className={s.heading}>
            Runs of this set
          </Text>
          <Table caption="Runs of this set, newest first" columns={RUN_COLUMNS} rows={runs} stacks />
        </>
      )}
      <Exports run={run} />
    </Stack>
  );
}

function Accuracy({ run, before }: { readonly run: QuestionRun; readonly before: QuestionRun | undefined }) {
  const judged = judgedOf(run.questions);
  const { right, rightShort, firstOfRecalled, shownOfRecalled } = sharesOf(judged);
  const { gained, lost } = changesBetween(before?.questions ?? [], run.questions);
  const all = counted(run.questions.length, "question");
  const { at, milliseconds } = run.stamp;
  return (
    <div>
      <Text as="p" font="serif" size="l">
        {judged.length === 0
          ? `${all} asked, none judged.`
          : `${right.n} of ${right.of}, ${Math.round((100 * right.n) / right.of)} % right (95 % interval ${intervalText(right)}).`}
      </Text>
      {rightShort.of > 0 && (
        <p>
          {`A sentence with the answer is ${firstOfRecalled.of > 0 ? `first for ${firstOfRecalled.n} and ` : ""}among the first ${SENTENCES_SHOWN} for ${shownOfRecalled.n} of ${rightShort.of}, and the short answer is right for ${rightShort.n}.`}
        </p>
      )}
      <Note>
        {`${all} of ${counted(run.facts, "fact")}, asked ${dateTime(at)} in ${duration(milliseconds)}`}
        {run.settings && `, with ${settingsLine(run.settings)}`}.
        {before && ` Since the run before: ${gained} now right, ${lost} now wrong${toldText(gained, lost)}.`}
      </Note>
    </div>
  );
}

function Exports({ run }: { readonly run: QuestionRun }) {
  if (usePrinting()) return null;
  const name = `questions-${run.stamp.at.slice(0, 19).replaceAll(":", "")}`;
  const csv = (): void => saveFile(`${name}.csv`, askedCsv(run.questions), "text/csv");
  const json = (): void => saveFile(`${name}.json`, `${JSON.stringify(run, null, 1)}\n`, "application/json");
  return (
    <Row gap={2}>
      <Button size="s" icon="download" label="Save as CSV" onClick={csv} />
      <Button size="s" icon="download" label="Save as JSON" onClick={json} />
    </Row>
  );
}

type NamedShare = Share & { readonly name: ShareName };

const SHARES = Object.keys(SHARE_LABELS) as readonly ShareName[];

const SHARE_COLUMNS: readonly Column<NamedShare>[] = [
  { id: "name", label: "Of the judged questions", names: true, cell: ({ name }) => SHARE_LABELS[name] },
  { id: "n", label: "n", look: "number", cell: ({ n, of }) => `${count(n)} of ${count(of)}` },
  {
    id: "interval",
    label: "95 % interval",
    look: "number",
    about: "Wilson's score interval of the share",
    cell: (share) => (share.of === 0 ? "–" : intervalText(share)),
  },
];

const soft = (label: string) => ({ label, short: label.toLowerCase(), look: "soft" }) as const;

const QUESTION_COLUMNS: readonly Column<AskedQuestion>[] = [
  { id: "ask", label: "Question", names: true, cell: ({ ask }) => ask },
  { id: "expected", ...soft("Expected"), cell: ({ answers }) => expectedText(answers) },
  { id: "said", label: "Said", look: "words", cell: ({ said }) => said.join(" ") },
  { id: "cited", ...soft("Rests on"), cell: ({ cited }) => cited.join(", ") || "–" },
  { id: "ended", label: "Judged", cell: ({ judged }) => <Verdict judged={judged} /> },
];

function Verdict({ judged }: Pick<AskedQuestion, "judged">) {
  if (!judged) return <Note as="span">not judged</Note>;
  if (judged.failed === null) return <Text tone="verdigris">right</Text>;
  const wrong = judged.short === "wrong" && `wrong${judged.marked ? ", with a warning" : ""}`;
  const why = (judged.failed !== "answer" || !wrong) && FAILURES[judged.failed];
  return <Text tone="rubric">{[wrong, why].filter(Boolean).join("; ")}</Text>;
}

const RUN_COLUMNS: readonly Column<QuestionRun>[] = [
  { id: "at", label: "Asked", names: true, cell: ({ stamp }) => dateTime(stamp.at) },
  {
    id: "right",
    label: "Right",
    look: "number",
    cell: ({ questions }) => {
      const { right } = sharesOf(judgedOf(questions));
      return right.of === 0 ? "–" : `${right.n} of ${right.of}`;
    },
  },
  {
    id: "interval",
    label: "95 % interval",
    look: "number",
    cell: ({ questions }) => intervalText(sharesOf(judgedOf(questions)).right),
  },
  { id: "facts", label: "Facts", look: "number", cell: ({ facts }) => count(facts) },
  {
    id: "settings",
    label: "Asked with",
    look: "soft",
    cell: ({ settings, stamp }) =>
      [settings ? settingsLine(settings) : "the memory's settings", stamp.model, stamp.backend]
        .filter(Boolean)
        .join(", "),
  },
];

const judgedOf = (questions: readonly AskedQuestion[]): readonly JudgedQuestion[] =>
  questions.flatMap(({ answers, judged }) =>
    judged ? [{ answerable: (answers?.length ?? 0) > 0, judgement: judged }] : [],
  );

const intervalText = ({ interval: [low, high] }: Share): string =>
  `${Math.round(100 * low)} to ${Math.round(100 * high)} %`;

function changesBetween(before: readonly AskedQuestion[], after: readonly AskedQuestion[]) {
  const was = new Map(before.map(({ ask, judged }) => [ask, judged]));
  const changed = after.flatMap(({ ask, judged }) => {
    const then = was.get(ask);
    return judged && then ? [{ then: then.failed === null, now: judged.failed === null }] : [];
  });
  return {
    gained: changed.filter(({ then, now }) => !then && now).length,
    lost: changed.filter(({ then, now }) => then && !now).length,
  };
}

function toldText(gained: number, lost: number): string {
  const p = mcnemar(gained, lost);
  const shown = p < 0.001 ? "< 0.001" : `= ${p.toFixed(3)}`;
  const verdict = p < 0.05 ? "the runs differ" : "too few changes to tell the runs apart";
  return gained + lost === 0 ? "" : `: ${verdict} (McNemar p ${shown})`;
}
