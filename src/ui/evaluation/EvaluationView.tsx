/** @file An evaluation: its circumstances, accuracies that open their samples, differences between methods, and figures. */

import { useState } from "react";
import { accuracies, comparisons, type AccuracyCell } from "../../evaluate/summary.ts";
import { groupBy } from "../../lib/group.ts";
import { VARIANTS, type Evaluation, type Variant } from "../../records/evaluation.ts";
import { Disclosure } from "../controls/Disclosure.tsx";
import { counted, percent } from "../format.ts";
import type { Column } from "../table/column.ts";
import { usePrinting } from "../controls/printing.ts";
import { Table } from "../table/Table.tsx";
import { caveats, intervalText, lengthName, madeOn, methodTitle, toldText } from "./evaluationText.ts";
import { SamplesDialog, type Opened } from "./Samples.tsx";
import { Note, Stack, Text } from "../controls/layout.tsx";
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
        <Text as="p" key={words} tone="soft" size="s">
          {words}
        </Text>
      ))}
      <Comparisons run={run} />
      <SamplesDialog run={run} opened={opened} onClose={() => setOpened(null)} />
    </Stack>
  );
}

const VARIANT_HEADINGS: Readonly<Record<Variant, string>> = {
  whole: "",
  without: "Without the evidence: right answers here are guessed, or known without the text",
  altered: "With another answer in the evidence, which is then the right one",
};

/** Suffix of the names of the table and its numbers, for screen readers. */
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

function AccuracyTable({
  run,
  variant,
  onOpen,
}: {
  readonly run: Evaluation;
  readonly variant: Variant;
  readonly onOpen: (opened: Opened) => void;
}) {
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
      cell: ({ task, method, cells }: Line) => (
        <AccuracyButton
          cell={cells.get(length)}
          name={`${methodTitle(method)}, ${task}, ${lengthName(length)}${VARIANT_NAMES[variant]}`}
          onOpen={() => onOpen({ task, length, method, variant })}
        />
      ),
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

function AccuracyButton({
  cell,
  name,
  onOpen,
}: {
  readonly cell: AccuracyCell | undefined;
  readonly name: string;
  readonly onOpen: () => void;
}) {
  const printing = usePrinting();
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
      <Text tone="soft" font="sans" size="xs" whiteSpace="nowrap">
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
