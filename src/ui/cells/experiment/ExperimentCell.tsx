/** @file The experiment cell: a named study with its settings, figures and another run to compare with. A run can continue. */

import {
  type Setting,
  settingsWithDefaults,
  STUDY_INFO,
  STUDY_NAMES,
  type SettingInfo,
} from "../../../records/studies.ts";
import { lineOf } from "../../../evaluate/runs/file.ts";
import type { Run } from "../../../records/run.ts";
import type { ExperimentCell as Cell } from "../../../records/notebook.ts";
import { isGoing } from "../../../state/runs.ts";
import { useActions, useCanWrite, useNotebook, useRun, type CellProps, type FormProps } from "../../app.tsx";
import { StudyFigures } from "../../charts/lazyFigures.tsx";
import { Button, Grid, Note, Row, Stack } from "../../controls/basics.tsx";
import { Checks, Choice, NumberField, Select, TextField } from "../../controls/Field.tsx";
import { KeptRuns, factPace, useRunList, useStudy } from "../../evaluation/KeptRuns.tsx";
import { factsToEncode } from "../../evaluation/choices.ts";
import { counted, dateTime, duration } from "../../format.ts";
import { saveFile } from "../../controls/page.ts";
import { Unfinished } from "../../facts/notices.tsx";

export function ExperimentCell({ cell }: CellProps<"experiment">) {
  const { setInput } = useActions();
  const canWrite = useCanWrite();
  const { study } = cell.input;
  const going = isGoing(useRun(cell.id));
  return (
    <Stack gap={4}>
      <Select
        label="Study"
        hint={STUDY_INFO[study].asks}
        value={study}
        disabled={!canWrite || going}
        onChange={(next) => setInput(cell.id, "experiment", { study: next, settings: {}, compareWith: null })}
        options={STUDY_NAMES.map((name) => ({ value: name, label: STUDY_INFO[name].title }))}
      />
      <Settings cell={cell} disabled={!canWrite || going} />
      {!going && <Before cell={cell} />}
      {cell.output && <Results cell={cell} output={cell.output} />}
      <KeptRuns kind="study" shown={cell.output?.runId} changed={cell.output?.cases} />
    </Stack>
  );
}

const SEED: SettingInfo = { label: "Seed", value: 1, hint: "a different seed draws different facts" };

function Settings({ cell: { id, input }, disabled }: FormProps<"experiment">) {
  const { setInput } = useActions();
  const known = [...Object.entries(STUDY_INFO[input.study].settings), ["seed", SEED] as const];
  const changed = known.some(([name, { value }]) => (input.settings[name] ?? value) !== value);
  const set = (settings: Cell["input"]["settings"]): void => setInput(id, "experiment", { settings });
  return (
    <Grid columns="repeat(auto-fit, minmax(min(100%, 13rem), 1fr))" gap="0.75rem 1.5rem" align="start">
      {known.map(([name, { label, hint, value: usual, choices, several }]) => {
        const key = `${input.study} ${name}`;
        const value = input.settings[name] ?? usual;
        const change = (next: Setting): void => set({ ...input.settings, [name]: next });
        const common = { label, hint, disabled, onChange: change };
        if (typeof value === "number")
          return <NumberField key={key} {...common} value={value} min={0} max={1_000_000} />;
        const text = String(value);
        if (choices && several)
          return (
            <Checks
              key={key}
              {...common}
              options={Object.entries(choices).map(([one, words]) => ({ value: one, label: words }))}
              chosen={itemsOf(text)}
              // One stays: a study of nothing has no case.
              onChange={(chosen) => chosen.length > 0 && change(chosen.join(", "))}
            />
          );
        if (choices)
          return (
            <Stack key={key} gap="0.25rem">
              <Note as="span">{label}</Note>
              <Choice label={label} value={text} options={choices} {...{ disabled, onChange: change }} />
              <Note as="span">{hint}</Note>
            </Stack>
          );
        return <TextField key={key} {...common} error={listProblem(text, String(usual))} value={text} />;
      })}
      {changed && (
        <Button look="quiet" size="s" icon="undo" disabled={disabled} onClick={() => set({})}>
          Back to the defaults
        </Button>
      )}
    </Grid>
  );
}

function Before({ cell: { id, output, input } }: CellProps<"experiment">) {
  const notebook = useNotebook();
  const { runCell } = useActions();
  if (output && output.cases < (output.planned ?? 0))
    return (
      <Unfinished onGoOn={() => void runCell(id)}>
        {counted(output.cases, "case")} of {output.planned} are kept; the run continues from there. With other
        settings a new run starts.
      </Unfinished>
    );
  const facts = factsToEncode(input.study, settingsWithDefaults(input));
  const pace = factPace(notebook);
  return (
    <Note>
      {counted(facts, "fact")} to encode
      {pace === null
        ? "; the time is known once this notebook has memorised something."
        : `, about ${duration(facts * pace)} at this notebook’s pace, plus the recalls.`}
    </Note>
  );
}

function Results(props: CellProps<"experiment"> & { readonly output: NonNullable<Cell["output"]> }) {
  const { cell, output } = props;
  const notebook = useNotebook();
  const { setInput } = useActions();
  const run = useStudy(output.runId, output.cases);
  const other = useStudy(cell.input.compareWith, 0);
  const { runs } = useRunList(notebook.id, output.cases);
  if (!run) return <Note>The cases of this run are not kept in this browser; run it again.</Note>;
  const others = runs.flatMap(({ header, records }) =>
    header.kind === "study" && header.study === run.header.study && header.id !== run.header.id
      ? [{ header, cases: records }]
      : [],
  );
  const compared = other && other.header.study === run.header.study ? other : null;
  const compare = (id: string): void =>
    setInput(cell.id, "experiment", { compareWith: id === NOTHING ? null : id });
  return (
    <>
      <StudyFigures run={run} beside={compared} />
      <Row wrap gap="0.75rem 1.5rem" align="end">
        {others.length > 0 && (
          <Select
            label="Compare with"
            value={compared ? compared.header.id : NOTHING}
            onChange={compare}
            options={[
              { value: NOTHING, label: "no other run" },
              ...others.map(({ header, cases }) => ({
                value: header.id,
                label: `${dateTime(header.created)}, ${counted(cases, "case")}`,
                note: `seed ${header.seed}, ${header.params.preset}, ${header.model}, on ${header.backend}`,
              })),
            ]}
          />
        )}
        <Button size="s" icon="download" label="Save the run" onClick={() => saveRun(run)} />
      </Row>
    </>
  );
}

/** Radix does not accept an empty value. */
const NOTHING = "none";

const saveRun = ({ header, cases }: Run): void =>
  saveFile(`${header.id}.jsonl`, [header, ...cases].map(lineOf).join(""), "application/jsonl");

/** The problem of a list of numbers; null without one, or if the default `usual` is not a list of numbers. */
export function listProblem(text: string, usual: string): string | null {
  const known = itemsOf(usual);
  if (!known.every((item) => NUMBER.test(item))) return null;
  const items = itemsOf(text);
  if (items.length === 0) return `Enter at least one number, e.g. ${usual}.`;
  const bad = items.find((item) => !NUMBER.test(item));
  if (bad !== undefined) return `“${bad}” is not a number of 0 or more; write numbers as in ${usual}.`;
  const fraction = items.find((item) => !isWhole(item));
  return known.every(isWhole) && fraction !== undefined ? `“${fraction}” must be a whole number.` : null;
}

const itemsOf = (text: string): readonly string[] =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");

const NUMBER = /^\d+(?:\.\d+)?$/;
const isWhole = (item: string): boolean => /^\d+$/.test(item);
