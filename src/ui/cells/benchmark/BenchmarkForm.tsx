/** @file What a benchmark cell is asked for: benchmark, tasks, lengths, methods, how many, and how they are asked. */

import { useState } from "react";
import { toldOf } from "../../../lib/format.ts";
import { PROMPT_FORMS, VARIANTS, type PromptForm, type Variant } from "../../../records/evaluation.ts";
import { BENCHMARK_PARAMS, type BenchmarkCell, type BenchmarkParams } from "../../../records/notebook.ts";
import { useActions, type CellProps } from "../../app.tsx";
import { Checks } from "../../controls/Checks.tsx";
import { Disclosure } from "../../controls/Disclosure.tsx";
import { DropZone } from "../../controls/DropZone.tsx";
import { NumberField, TextField } from "../../controls/Field.tsx";
import { Select } from "../../controls/Select.tsx";
import {
  BENCHMARK_OPTIONS,
  benchmarkOf,
  changedTo,
  lengthOptions,
  METHOD_OPTIONS,
  readMethods,
  takesFiles,
  taskOptions,
  typedMethods,
} from "../../evaluation/choices.ts";
import { HelperForms } from "./HelperForms.tsx";
import s from "./BenchmarkCell.module.css";

type Input = BenchmarkCell["input"];

export function BenchmarkForm({ cell, disabled }: CellProps<"benchmark"> & { readonly disabled: boolean }) {
  const { id, input } = cell;
  const { setInput } = useActions();
  const change = (next: Partial<Input>): void => setInput(id, "benchmark", (now) => ({ ...now, ...next }));
  const benchmark = benchmarkOf(input.benchmark);
  return (
    <div className={s.form}>
      <div className={s.pair}>
        <Select
          label="Benchmark"
          hint={benchmark?.about ?? `This version knows no benchmark “${input.benchmark}”; choose another.`}
          value={input.benchmark}
          disabled={disabled}
          onChange={(name) => setInput(id, "benchmark", (now) => changedTo(now, name))}
          options={BENCHMARK_OPTIONS}
        />
        <NumberField
          label="Samples of each task and length"
          hint="With 10 an interval spans up to 53 points, with 100 up to 19."
          value={input.samples}
          min={1}
          max={1000}
          whole
          disabled={disabled}
          onChange={(samples) => change({ samples })}
        />
      </div>
      {takesFiles(input.benchmark) || input.benchmark === "probe" ? (
        <Files id={id} input={input} disabled={disabled} />
      ) : null}
      {benchmark && !takesFiles(input.benchmark) && (
        <>
          <Checks
            label="Tasks"
            options={taskOptions(benchmark)}
            chosen={input.tasks}
            disabled={disabled}
            onChange={(tasks) => change({ tasks })}
          />
          <Checks
            label="Lengths, in tokens"
            options={lengthOptions(benchmark)}
            chosen={input.lengths}
            disabled={disabled}
            onChange={(lengths) => change({ lengths })}
          />
        </>
      )}
      <Checks
        label="Methods"
        options={METHOD_OPTIONS}
        chosen={input.methods}
        disabled={disabled}
        onChange={(methods) => change({ methods: [...methods, ...typedMethods(input.methods)] })}
        hint="Oracles (stored text, gold routed, gold extracted) say what each stage costs."
      />
      <TypedMethods
        methods={typedMethods(input.methods)}
        disabled={disabled}
        onChange={(typed) =>
          change({
            methods: [...input.methods.filter((name) => !typedMethods([name]).includes(name)), ...typed],
          })
        }
      />
      <HelperForms cell={cell} disabled={disabled} />
      <More input={input} disabled={disabled} change={change} />
    </div>
  );
}

/** Methods with parameters of their own. What is wrong stays in the field, is said, and is not taken. */
function TypedMethods({
  methods,
  disabled,
  onChange,
}: {
  readonly methods: readonly string[];
  readonly disabled: boolean;
  readonly onChange: (methods: readonly string[]) => void;
}) {
  const [draft, setDraft] = useState<{ readonly text: string; readonly problem: string | null } | null>(null);
  const type = (text: string): void => {
    try {
      onChange(readMethods(text));
      setDraft({ text, problem: null });
    } catch (error) {
      setDraft({ text, problem: toldOf(error) });
    }
  };
  return (
    <TextField
      label="With parameters of their own"
      hint="e.g. ours:layers=1, ours:theta=0.45, ours:routing=dense, truncation:2048; + joins several"
      error={draft?.problem}
      value={draft?.text ?? methods.join(", ")}
      disabled={disabled}
      onChange={type}
      onBlur={() => setDraft((now) => (now?.problem ? now : null))}
    />
  );
}

const FILE_WORDS: Readonly<Record<string, readonly [title: string, hint: string]>> = {
  files: [
    "Drop records of BABILong, RULER, LongBench or InfiniteBench",
    "JSON, JSON lines or CSV as they are published, also packed (.gz). None of them comes with the app.",
  ],
  table: [
    "Drop a table of questions and the text they are about",
    "questions .csv, .json or .jsonl with the columns question, gold and, if known, evidence; the text as .txt.",
  ],
  probe: [
    "Drop NoLiMa’s needle sets to use them in place of our own probe",
    "JSON, as it is published. Without a file our own association probe is asked.",
  ],
};

/** Files that cases come from; they stay in this tab. */
function Files({
  id,
  input,
  disabled,
}: {
  readonly id: string;
  readonly input: Input;
  readonly disabled: boolean;
}) {
  const { setBenchmarkFiles } = useActions();
  const [title, hint] = FILE_WORDS[input.benchmark]!;
  return (
    <DropZone
      accept=".json,.jsonl,.csv,.txt,.gz"
      disabled={disabled}
      onFiles={(files) => setBenchmarkFiles(id, files)}
    >
      <p className={s.dropTitle}>{title}</p>
      <p className={s.soft}>{hint}</p>
      {input.files.length > 0 && (
        <p>Cases come from {input.files.join(", ")}. After a reload the files are to be dropped again.</p>
      )}
    </DropZone>
  );
}

const VARIANT_LABELS: Readonly<Record<Variant, string>> = {
  whole: "the text as it is",
  without: "its evidence taken out",
  altered: "another answer in the evidence",
};
const PROMPT_LABELS: Readonly<Record<PromptForm, string>> = {
  ours: "ours, which the bundled model was taught",
  benchmark: "in the benchmark’s order",
};
const PARAMS_LABELS: Readonly<Record<BenchmarkParams, string>> = {
  sharp: "sharp, as a new notebook has them",
  paper: "paper, as the paper states them",
  memory: "those of this notebook’s memory",
};

function More({
  input,
  disabled,
  change,
}: {
  readonly input: Input;
  readonly disabled: boolean;
  readonly change: (next: Partial<Input>) => void;
}) {
  const { variants, prompt, params, seed } = input;
  return (
    <Disclosure summary="Prompt, controls, parameters, seed">
      <div className={s.form}>
        <Checks
          label="Each question asked of"
          options={VARIANTS.map((value) => ({ value, label: VARIANT_LABELS[value] }))}
          chosen={variants}
          disabled={disabled}
          onChange={(chosen) => change({ variants: VARIANTS.filter((one) => chosen.includes(one)) })}
          hint="The controls show what is guessed, or known before."
        />
        <div className={s.pair}>
          <Select
            label="Prompt"
            value={prompt}
            disabled={disabled}
            onChange={(next) => change({ prompt: next })}
            options={PROMPT_FORMS.map((value) => ({ value, label: PROMPT_LABELS[value] }))}
          />
          <Select
            label="Parameters of ours"
            value={params}
            disabled={disabled}
            onChange={(next) => change({ params: next })}
            options={BENCHMARK_PARAMS.map((value) => ({ value, label: PARAMS_LABELS[value] }))}
          />
          <NumberField
            label="Seed"
            hint="another one draws other cases"
            value={seed}
            min={0}
            max={2 ** 32 - 1}
            whole
            disabled={disabled}
            onChange={(next) => change({ seed: next })}
          />
        </div>
      </div>
    </Disclosure>
  );
}
