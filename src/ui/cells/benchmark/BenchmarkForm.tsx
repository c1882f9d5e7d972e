/** @file The form of a benchmark cell: a benchmark and one of three sizes, the models that methods need, and everything else behind "More". */

import { useState } from "react";
import { toldOf } from "../../../lib/format.ts";
import {
  PROMPT_FORMS,
  VARIANTS,
  type PromptForm,
  type Variant,
  type Helper,
} from "../../../records/evaluation.ts";
import { BENCHMARK_PARAMS, type BenchmarkCell, type BenchmarkParams } from "../../../records/notebook.ts";
import { useActions, type FormProps } from "../../app.tsx";
import { Checks, Choice, NumberField, TextField, Select } from "../../controls/Field.tsx";
import { Disclosure } from "../../controls/Dialog.tsx";
import { DropZone } from "../../controls/DropZone.tsx";
import { Grid, Note, Stack, Text } from "../../controls/basics.tsx";
import {
  BENCHMARK_OPTIONS,
  benchmarkOf,
  changedTo,
  lengthOptions,
  METHOD_OPTIONS,
  readMethods,
  SIZE_LABELS,
  sized,
  sizeOf,
  sizesOf,
  takesFiles,
  taskOptions,
  typedMethods,
  isChosen,
  shownHelpers,
} from "../../evaluation/choices.ts";
import { SamplesField } from "../../evaluation/KeptRuns.tsx";
import type { EmbedderChoice } from "../../../records/embedder.ts";
import { lazily } from "../../controls/useAsync.tsx";
import type { Role } from "../../models/ModelChoice.tsx";
import { choiceText } from "../memorize/embedder/EmbedderLine.tsx";

type Input = BenchmarkCell["input"];

interface PartProps {
  readonly input: Input;
  readonly change: (next: Partial<Input>) => void;
}

const COLUMNS = "repeat(auto-fit, minmax(min(100%, 16rem), 1fr))";

export function BenchmarkForm({ cell, disabled }: FormProps<"benchmark">) {
  const { id, input } = cell;
  const { setInput } = useActions();
  const change = (next: Partial<Input>): void => setInput(id, "benchmark", next);
  const benchmark = benchmarkOf(input.benchmark);
  const size = sizeOf(input);
  return (
    <Stack gap={4}>
      <Select
        label="Benchmark"
        hint={benchmark?.about ?? `Unknown benchmark “${input.benchmark}”; choose another one.`}
        value={input.benchmark}
        disabled={disabled}
        onChange={(name) => setInput(id, "benchmark", (now) => changedTo(now, name))}
        options={BENCHMARK_OPTIONS}
      />
      <Choice
        label="Size"
        value={size}
        disabled={disabled}
        onChange={(next) => change(sized(input.benchmark, next))}
        options={Object.fromEntries(sizesOf(input.benchmark).map((one) => [one, SIZE_LABELS[one]]))}
      />
      {(takesFiles(input.benchmark) || input.benchmark === "probe") && (
        <Files cell={cell} disabled={disabled} />
      )}
      {shownHelpers(input).map((helper) => (
        <HelperForm key={helper} cell={cell} disabled={disabled} helper={helper} />
      ))}
      <Disclosure summary="More: tasks, lengths, methods, samples, prompt, seed" defaultOpen={size === null}>
        <Stack as="fieldset" gap={4} disabled={disabled} style={{ border: 0, padding: 0, minWidth: 0 }}>
          <Cases input={input} change={change} />
          <Methods input={input} change={change} />
          <Asking input={input} change={change} />
        </Stack>
      </Disclosure>
    </Stack>
  );
}

function Cases({ input, change }: PartProps) {
  const benchmark = benchmarkOf(input.benchmark);
  return (
    <>
      <SamplesField value={input.samples} onChange={(samples) => change({ samples })} />
      {benchmark && !takesFiles(input.benchmark) && (
        <>
          <Checks
            label="Tasks"
            options={taskOptions(benchmark)}
            chosen={input.tasks}
            onChange={(tasks) => change({ tasks })}
          />
          <Checks
            label="Lengths, in tokens"
            options={lengthOptions(benchmark)}
            chosen={input.lengths}
            onChange={(lengths) => change({ lengths })}
          />
        </>
      )}
    </>
  );
}

function Methods({ input: { methods }, change }: PartProps) {
  const typed = typedMethods(methods);
  const [draft, setDraft] = useState<{ readonly text: string; readonly problem: string | null } | null>(null);
  /** An invalid text stays in the field with its problem, and is not used. */
  const type = (text: string): void => {
    try {
      const next = readMethods(text);
      change({ methods: [...methods.filter((name) => !typed.includes(name)), ...next] });
      setDraft({ text, problem: null });
    } catch (error) {
      setDraft({ text, problem: toldOf(error) });
    }
  };
  return (
    <>
      <Checks
        label="Methods"
        options={METHOD_OPTIONS}
        chosen={methods}
        onChange={(chosen) => change({ methods: [...chosen, ...typed] })}
        hint="Oracles (stored text, gold routed, gold extracted) show the cost of each stage."
      />
      <TextField
        label="Methods with custom parameters"
        hint="e.g. ours:layers=1, ours:theta=0.45, ours:ranking=anchors, truncation:2048; + joins several"
        error={draft?.problem}
        value={draft?.text ?? typed.join(", ")}
        onChange={type}
        onBlur={() => setDraft((now) => (now?.problem ? now : null))}
      />
    </>
  );
}

const VARIANT_LABELS: Readonly<Record<Variant, string>> = {
  whole: "the text as it is",
  without: "the text without its evidence",
  altered: "another answer in the evidence",
};
const PROMPT_LABELS: Readonly<Record<PromptForm, string>> = {
  ours: "ours, which the bundled model was trained on",
  benchmark: "in the benchmark’s order",
};
const PARAMS_LABELS: Readonly<Record<BenchmarkParams, string>> = {
  sharp: "sharp, the default of a new notebook",
  paper: "paper, as the paper states them",
  memory: "those of this notebook’s memory",
};

const Asking = ({ input: { variants, prompt, params, seed }, change }: PartProps) => (
  <>
    <Checks
      label="Each question is asked of"
      options={VARIANTS.map((value) => ({ value, label: VARIANT_LABELS[value] }))}
      chosen={variants}
      onChange={(chosen) => change({ variants: VARIANTS.filter((one) => chosen.includes(one)) })}
      hint="The last two show which answers are guessed, or known without the text."
    />
    <Grid columns={COLUMNS} gap="0.75rem 1.5rem" align="start">
      <Select
        label="Prompt"
        value={prompt}
        onChange={(next) => change({ prompt: next })}
        options={PROMPT_FORMS.map((value) => ({ value, label: PROMPT_LABELS[value] }))}
      />
      <Select
        label="Parameters of ours"
        value={params}
        onChange={(next) => change({ params: next })}
        options={BENCHMARK_PARAMS.map((value) => ({ value, label: PARAMS_LABELS[value] }))}
      />
      <NumberField
        label="Seed"
        hint="a different seed draws different cases"
        value={seed}
        min={0}
        max={2 ** 32 - 1}
        whole
        onChange={(next) => change({ seed: next })}
      />
    </Grid>
  </>
);

const FILE_WORDS: Readonly<Record<string, readonly [title: string, hint: string]>> = {
  files: [
    "Drop records of BABILong, RULER, LongBench or InfiniteBench",
    "JSON, JSON lines or CSV as published, also packed (.gz). The app includes none of them.",
  ],
  table: [
    "Drop a table of questions and the text they are about",
    "Questions as .csv, .json or .jsonl with the columns question, gold and, if known, evidence; the text as .txt.",
  ],
  probe: [
    "Drop NoLiMa’s needle sets to replace our own probe",
    "JSON, as published. Without a file our own association probe is used.",
  ],
};

function Files({ cell: { id, input }, disabled }: FormProps<"benchmark">) {
  const { setBenchmarkFiles } = useActions();
  const [title, hint] = FILE_WORDS[input.benchmark]!;
  return (
    <DropZone
      accept=".json,.jsonl,.csv,.txt,.gz"
      disabled={disabled}
      onFiles={(files) => setBenchmarkFiles(id, files)}
    >
      <Text as="p" font="serif">
        {title}
      </Text>
      <Note>{hint}</Note>
      {input.files.length > 0 && (
        <p>Cases come from {input.files.join(", ")}. After a reload, drop the files again.</p>
      )}
    </DropZone>
  );
}

const ModelChoice = lazily(async () => (await import("../../models/ModelChoice.tsx")).ModelChoice);

const ofHub = (repo: string): EmbedderChoice => ({
  from: { kind: "hub", repo, revision: "main" },
  dtype: "q8",
  device: "wasm",
});

const MINI_LM = "Xenova/ms-marco-MiniLM-L-6-v2";
const BERT = "ldenoue/llmlingua-2-bert-base-multilingual-cased-meetingbank";

const HELPERS: Readonly<Record<Helper, Role & { readonly title: string; readonly use: string }>> = {
  reranker: {
    title: "Cross-encoder",
    use: "It reads question and chunk together, and sorts the chunks that were found.",
    what: "cross-encoder",
    none: "None",
    known: [
      { repo: MINI_LM, millions: 22.7, note: "English, the smallest" },
      { repo: "Xenova/bge-reranker-base", millions: 278, note: "English and Chinese" },
    ],
    first: ofHub(MINI_LM),
    example: "Xenova/bge-reranker-large",
  },
  compressor: {
    title: "Compressor",
    use: "It predicts for every token of a text whether to keep it.",
    what: "compressor",
    none: "None",
    known: [
      { repo: BERT, millions: 177.3, note: "LLMLingua-2, small: multilingual BERT" },
      {
        repo: "atjsh/llmlingua-2-js-xlm-roberta-large-meetingbank",
        millions: 558.9,
        note: "LLMLingua-2, as in the paper: XLM-RoBERTa",
      },
    ],
    first: ofHub(BERT),
    example: BERT,
  },
};

function HelperForm({
  cell: { id, input },
  disabled,
  helper,
}: FormProps<"benchmark"> & { readonly helper: Helper }) {
  const { setHelper } = useActions();
  const { title, use, ...role } = HELPERS[helper];
  const choice = input.helpers?.[helper] ?? null;
  const chosen = choice && isChosen(choice) ? choiceText(choice) : "none: methods that need one are left out";
  return (
    <Disclosure defaultOpen={!choice} summary={<strong>{title}</strong>} note={chosen}>
      <Stack gap={4}>
        <Note>{use} It is fetched, opened and tried when the cell runs. No text leaves this tab.</Note>
        <ModelChoice
          role={role}
          choice={choice}
          disabled={disabled}
          onChange={(next, files) => setHelper(id, helper, next, files)}
        />
      </Stack>
    </Disclosure>
  );
}
