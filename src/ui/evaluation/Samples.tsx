/** @file The samples of a number: question, answer and verdict, and all details when opened. */

import type { Evaluation, SampleRecord, Stages, Variant } from "../../records/evaluation.ts";
import { Dialog } from "../controls/Dialog.tsx";
import { Pairs, type Pair } from "../controls/Pairs.tsx";
import { bytes, counted, duration, percent } from "../format.ts";
import type { Column } from "../table/column.ts";
import { Table } from "../table/Table.tsx";
import { lengthName, methodTitle, verdictOf } from "./evaluationText.ts";
import { Note, Stack } from "../controls/layout.tsx";
import s from "./Evaluation.module.css";

export interface Opened {
  readonly task: string;
  readonly length: string;
  readonly method: string;
  readonly variant: Variant;
}

const FIRST = 50;

export function SamplesDialog({
  run,
  opened,
  onClose,
}: {
  readonly run: Evaluation;
  readonly opened: Opened | null;
  readonly onClose: () => void;
}) {
  if (!opened) return null;
  const samples = run.samples.filter(
    ({ task, length, method, variant }) =>
      task === opened.task &&
      length === opened.length &&
      method === opened.method &&
      variant === opened.variant,
  );
  const { primary } = run.header;
  const columns: readonly Column<SampleRecord>[] = [
    { id: "question", label: "Question", names: true, cell: ({ question }) => question },
    { id: "gold", label: "Expected", short: "expected", look: "soft", cell: ({ gold }) => gold.join(" or ") },
    {
      id: "answer",
      label: "Answer",
      look: "words",
      cell: ({ answer, error }) => error ?? (answer === "" ? "–" : answer),
    },
    { id: "verdict", label: "Verdict", cell: (sample) => <Verdict words={verdictOf(sample, primary)} /> },
  ];
  return (
    <Dialog
      open
      wide
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={`${methodTitle(opened.method)}, ${opened.task}, ${lengthName(opened.length)}`}
      description={`${counted(samples.length, "sample")}. Open one for its prompt, facts, scores and the stage at which it failed.`}
    >
      <Table
        caption="Samples"
        columns={columns}
        rows={samples}
        keyOf={({ id }) => id}
        parts={{ has: () => true, draw: (sample) => <Sample sample={sample} /> }}
        limit={{ first: FIRST, more: (_, rest) => `Show ${counted(rest, "more sample")}` }}
        stacks
      />
    </Dialog>
  );
}

const Verdict = ({ words }: { readonly words: string }) => (
  <span className={words === "right" ? s.right : s.wrong}>{words}</span>
);

function Sample({ sample }: { readonly sample: SampleRecord }) {
  const {
    evidence,
    raw,
    prompt,
    promptHash,
    scores,
    stages,
    kept,
    promptTokens,
    milliseconds,
    depth,
    characters,
  } = sample;
  const applying = Object.entries(scores).filter(([, score]) => score !== null);
  const facts: readonly Pair[] = [
    ...(raw === null ? [] : [["The model said", raw === "" ? "nothing" : raw] as const]),
    ["Scores", applying.map(([name, score]) => `${name} ${percent(score!)}`).join(", ")],
    ...(stages ? [["Stages", stagesText(stages)] as const] : []),
    ["Text", `${counted(characters, "character")}${depth === null ? "" : `, evidence at ${percent(depth)}`}`],
    ["Kept of it", `${bytes(kept.bytes)}, of which ${counted(kept.tokens, "token")} of text`],
    ["Prompt", `${counted(promptTokens, "token")}`],
    ["Took", `${duration(milliseconds.prepare)} to prepare, ${duration(milliseconds.answer)} to answer`],
  ];
  return (
    <Stack gap="0.75rem" font="sans" className={s.sample}>
      {evidence.length > 0 && (
        <div>
          <h4>{evidence.length === 1 ? "The fact that is needed" : "The facts that are needed"}</h4>
          <ul>
            {evidence.map((sentence, i) => (
              <li key={i}>{sentence}</li>
            ))}
          </ul>
        </div>
      )}
      <Pairs className={s.facts} of={facts} />
      {prompt !== null && (
        <div>
          <h4>The prompt</h4>
          <pre className={s.prompt} tabIndex={0} aria-label="Prompt">
            {prompt}
          </pre>
        </div>
      )}
      {prompt === null && promptHash !== null && (
        <Note>This recorded run keeps long prompts as hashes; this one’s is {promptHash}.</Note>
      )}
    </Stack>
  );
}

/** "stored, routed, not said again; failed at reconstruction". */
function stagesText({ stored, routed, recalled, failed }: Stages): string {
  const said = (done: boolean, words: string): string => (done ? words : `not ${words}`);
  const all = [said(stored, "stored"), said(routed, "routed"), said(recalled, "recalled word for word")];
  return `${all.join(", ")}${failed === null ? "" : `; failed at ${failed}`}`;
}
