/** @file An evaluation: its circumstances, accuracies that open their samples, and differences between methods. */

import { useState } from "react";
import { accuracies, comparisons, type AccuracyCell } from "../../evaluate/summary.ts";
import { groupBy } from "../../lib/group.ts";
import {
  VARIANTS,
  type Evaluation,
  type Variant,
  type SampleRecord,
  type Stages,
} from "../../records/evaluation.ts";
import { Disclosure, Dialog } from "../controls/Dialog.tsx";
import { counted, percent, bytes, duration } from "../format.ts";
import { type Column, Table } from "../table/Table.tsx";
import { usePrinting, Note, Stack, Text, Pairs, type Pair } from "../controls/basics.tsx";
import {
  caveats,
  intervalText,
  lengthName,
  madeOn,
  methodTitle,
  toldText,
  verdictOf,
} from "./evaluationText.ts";
import s from "./Evaluation.module.css";

export function EvaluationView({ run }: { readonly run: Evaluation }) {
  const [opened, setOpened] = useState<Opened | null>(null);
  const { header } = run;
  return (
    <Stack gap="0.6rem">
      {VARIANTS.filter((variant) => header.variants.includes(variant)).map((variant) => (
        <AccuracyTable key={variant} run={run} variant={variant} onOpen={setOpened} />
      ))}
      <Note>{madeOn(header)}</Note>
      {caveats(header).map((words) => (
        <Note key={words}>{words}</Note>
      ))}
      <Comparisons run={run} />
      {opened && <SamplesDialog run={run} opened={opened} onClose={() => setOpened(null)} />}
    </Stack>
  );
}

const VARIANT_HEADINGS: Readonly<Record<Variant, string>> = {
  whole: "",
  without: "Without the evidence: right answers here are guessed, or known without the text",
  altered: "With another answer in the evidence, which is then the right one",
};

const VARIANT_NAMES: Readonly<Record<Variant, string>> = {
  whole: "",
  without: ", without the evidence",
  altered: ", with another answer",
};

interface Line {
  readonly task: string;
  readonly method: string;
  readonly cells: ReadonlyMap<string, AccuracyCell>;
}

function linesOf(run: Evaluation, variant: Variant): Line[] {
  const cells = groupBy(accuracies(run, variant), ({ task, method }) => JSON.stringify([task, method]));
  return run.header.tasks.flatMap((task) =>
    run.header.methods.flatMap((method) => {
      const own = cells.get(JSON.stringify([task, method])) ?? [];
      return own.length === 0
        ? []
        : [{ task, method, cells: new Map(own.map((cell) => [cell.length, cell])) }];
    }),
  );
}

function AccuracyTable(
  props: Readonly<{ run: Evaluation; variant: Variant; onOpen: (opened: Opened) => void }>,
) {
  const { run, variant, onOpen } = props;
  const printing = usePrinting();
  const lines = linesOf(run, variant);
  const { tasks, lengths, primary } = run.header;
  if (lines.length === 0) return null;
  const columns: readonly Column<Line>[] = [
    ...(tasks.length > 1 ? [{ id: "task", label: "Task", cell: ({ task }: Line) => task }] : []),
    { id: "method", label: "Method", names: true, cell: ({ method }) => methodTitle(method) },
    ...lengths.map((length) => ({
      id: `at ${length}`,
      label: lengthName(length),
      look: "number" as const,
      cell({ task, method, cells }: Line) {
        const name = `${methodTitle(method)}, ${task}, ${lengthName(length)}${VARIANT_NAMES[variant]}`;
        const open = (): void => onOpen({ task, length, method, variant });
        return accuracyCell(cells.get(length), name, printing, open);
      },
    })),
  ];
  return (
    <Stack as="section" gap="0.6rem">
      {VARIANT_HEADINGS[variant] !== "" && (
        <Text as="h3" tone="soft" size="s" className={s.heading}>
          {VARIANT_HEADINGS[variant]}
        </Text>
      )}
      <div
        className={s.scroll}
        tabIndex={0}
        role="group"
        aria-label={`Accuracy, by method and length${VARIANT_NAMES[variant]}`}
      >
        <Table
          caption={`Accuracy by method and length (${primary}${VARIANT_NAMES[variant]})`}
          columns={columns}
          rows={lines}
        />
      </div>
      <Note>
        Right by {primary}, with the 95 % interval and n; a question without an answer counts as wrong.
        {printing || " Press a number for its samples."}
      </Note>
    </Stack>
  );
}

function accuracyCell(cell: AccuracyCell | undefined, name: string, printing: boolean, onOpen: () => void) {
  if (!cell) return "–";
  const { n, texts, unanswered, score, interval } = cell;
  const said = n === 0 ? "not asked" : percent(score);
  const shared = texts < n ? ` over ${counted(texts, "text")}` : "";
  const without = unanswered > 0 ? `, ${unanswered} without answer` : "";
  const span = n === 0 ? "no question fits it" : `${intervalText(interval)}, n = ${n}${shared}${without}`;
  if (printing) return `${said} (${span})`;
  return (
    <button
      type="button"
      className={s.number}
      onClick={onOpen}
      aria-label={`${name}: ${said}, ${span}. Open its samples`}
    >
      <span className={s.score}>{said}</span>{" "}
      <Text tone="soft" font="sans" size="s" whiteSpace="nowrap">
        {span}
      </Text>
    </button>
  );
}

function Comparisons({ run }: { readonly run: Evaluation }) {
  const [first] = run.header.methods;
  const found = first === undefined ? [] : comparisons(run, first);
  if (first === undefined || found.length === 0) return null;
  const told = found.filter((one) => one.told).length;
  return (
    <Disclosure
      summary={`${methodTitle(first)} against the others on the same cases: ${told} of ${found.length} differences are significant`}
    >
      <Table
        caption={`${methodTitle(first)} against the others`}
        columns={COMPARISON_COLUMNS}
        rows={found}
        stacks
      />
    </Disclosure>
  );
}

const COMPARISON_COLUMNS: readonly Column<ReturnType<typeof comparisons>[number]>[] = [
  { id: "against", label: "Against", names: true, cell: ({ against }) => methodTitle(against) },
  { id: "where", label: "Where", cell: ({ task, length }) => `${task}, ${lengthName(length)}` },
  { id: "told", label: "Difference", cell: toldText },
];

const PLACE = ["task", "length", "method", "variant"] as const;
type Opened = Pick<SampleRecord, (typeof PLACE)[number]>;

const FIRST = 50;

function SamplesDialog(props: Readonly<{ run: Evaluation; opened: Opened; onClose: () => void }>) {
  const { run, opened, onClose } = props;
  const samples = run.samples.filter((sample) => PLACE.every((name) => sample[name] === opened[name]));
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
      onOpenChange={onClose}
      title={`${methodTitle(opened.method)}, ${opened.task}, ${lengthName(opened.length)}`}
      description={`${counted(samples.length, "sample")}. Open one for its prompt, facts, scores and the stage at which it failed.`}
    >
      <Table
        caption="Samples"
        columns={columns}
        rows={samples}
        keyOf={({ id }) => id}
        parts={{ has: () => true, draw: (sample) => <Sample sample={sample} /> }}
        limit={{ first: FIRST, more: "more sample" }}
        stacks
      />
    </Dialog>
  );
}

const Verdict = ({ words }: { readonly words: string }) => (
  <span className={words === "right" ? s.right : s.wrong}>{words}</span>
);

function Sample({ sample }: { readonly sample: SampleRecord }) {
  const { evidence, raw, prompt, promptHash, scores, stages, kept, depth, milliseconds: took } = sample;
  const applying = Object.entries(scores).filter(([, score]) => score !== null);
  const facts: readonly Pair[] = [
    ...(raw === null ? [] : [["The model said", raw === "" ? "nothing" : raw] as const]),
    ["Scores", applying.map(([name, score]) => `${name} ${percent(score!)}`).join(", ")],
    ...(stages ? [["Stages", stagesText(stages)] as const] : []),
    [
      "Text",
      `${counted(sample.characters, "character")}${depth === null ? "" : `, evidence at ${percent(depth)}`}`,
    ],
    ["Kept of it", `${bytes(kept.bytes)}, of which ${counted(kept.tokens, "token")} of text`],
    ["Prompt", counted(sample.promptTokens, "token")],
    ["Took", `${duration(took.prepare)} to prepare, ${duration(took.answer)} to answer`],
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

function stagesText({ stored, routed, recalled, failed }: Stages): string {
  const said = (done: boolean, words: string): string => (done ? words : `not ${words}`);
  const all = [said(stored, "stored"), said(routed, "routed"), said(recalled, "recalled word for word")];
  return `${all.join(", ")}${failed === null ? "" : `; failed at ${failed}`}`;
}
