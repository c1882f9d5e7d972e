/** @file The memorize cell: the parameters, an estimate before the run, progress during it, and a summary after it. */

import { useEffect, useRef } from "react";
import { EVERY_SENTENCE } from "../../../records/params.ts";
import {
  withLayers,
  firstOf,
  interruptedCell,
  isInterrupted,
  modelCellFor,
  sourceCellsFor,
} from "../../../notebook/kinds.ts";
import { deviceIsTaken, isBegun, isGoing } from "../../../state/runs.ts";
import type { RunProgress } from "../../../state/core.ts";
import {
  useActions,
  useApp,
  useCanWrite,
  useNotebook,
  useRun,
  useServices,
  type CellProps,
  type FormProps,
} from "../../app.tsx";
import { MemoryFigures } from "../../charts/lazyFigures.tsx";
import { Notice, Button, Stack, Text, cx, Soft } from "../../controls/basics.tsx";
import { interruptedText } from "../../facts/words.ts";
import { counted } from "../../format.ts";
import { Unfinished } from "../../facts/notices.tsx";
import { EmbedderLine } from "./embedder/EmbedderLine.tsx";
import { BudgetView, costSentence, skippedSentence, Summary, unstored } from "./Summary.tsx";
import { Parameters } from "../../parameters/ParameterControl.tsx";
import { problemsOf } from "../../../records/parameterText.ts";
import type { MemorizeEstimate } from "../../../service/types.ts";
import type { DocumentId } from "../../../records/ids.ts";
import { modelTag } from "../../../records/memory.ts";
import type { MemorizeCell as Cell } from "../../../records/notebook.ts";
import { useAsync, type Async, Progress } from "../../controls/useAsync.tsx";
import { logShare, layerColor } from "../../charts/kit/scale.ts";
import {
  advance,
  countText,
  curvePoints,
  lossAxes,
  isDone,
  NEW_RUN,
  leftText,
  paceText,
  stageName,
  type RunView,
  type StageLine,
} from "../frame/RunLive.tsx";
import s from "./MemorizeCell.module.css";
import run from "./Run.module.css";

export function MemorizeCell({ cell }: CellProps<"memorize">) {
  const { setInput, loadFacts } = useActions();
  const canWrite = useCanWrite();
  const notebook = useNotebook();
  const run = useRun(cell.id);
  const facts = useApp(({ memory }) => memory.facts);
  const begun = isBegun(run);
  const disabled = !canWrite || isGoing(run);
  const { params } = cell.input;
  useEffect(() => {
    if (cell.output) void loadFacts();
  }, [cell.output, loadFacts]);
  return (
    <Stack gap={4} shrinks>
      <Parameters
        params={params}
        disabled={disabled}
        onChange={(next) => setInput(cell.id, "memorize", { params: next })}
      />
      <EmbedderLine cell={cell} disabled={disabled} />
      <GivenLayers cell={cell} disabled={disabled} />
      {begun && run.progress?.kind === "flow" && <RunLines progress={run.progress} since={run.startedAt} />}
      {!begun && <Before cell={cell} />}
      {cell.output && !begun && (
        <>
          <Summary summary={cell.output} facts={facts} />
          {firstOf(notebook, "store") === null && <MemoryFigures cellId={cell.id} />}
        </>
      )}
    </Stack>
  );
}

function GivenLayers({ cell, disabled }: FormProps<"memorize">) {
  const { setInput } = useActions();
  const { layers } = cell.input;
  return !layers ? null : (
    <Text as="p" measure tone="soft">
      {layers.length === 1 ? "Storage layer" : "Storage layers"}{" "}
      <span className="num">{layers.join(", ")}</span>, given: a new memory takes them without a probe.{" "}
      <Button
        size="s"
        look="quiet"
        label="Probe instead"
        disabled={disabled}
        onClick={() => setInput(cell.id, "memorize", (input) => withLayers(input, null))}
      />
    </Text>
  );
}

function Before({ cell }: CellProps<"memorize">) {
  const notebook = useNotebook();
  const { resumeMemorize, refreshMemory, setInput } = useActions();
  const canWrite = useCanWrite();
  const info = useApp(({ memory }) => memory.info);
  useEffect(() => void refreshMemory(), [notebook.id, refreshMemory]);
  const known = new Set(info?.sources.map(({ id }) => id));
  const listed = sourceCellsFor(notebook, cell.id).flatMap(({ input }) => input.documents);
  const documents = listed.filter(({ id, kept }) => kept && !known.has(id)).map(({ id }) => id);
  const waiting = info !== null && isInterrupted(info) && interruptedCell(notebook, info)?.id === cell.id;
  const state = useEstimate(cell, documents, listed.length > 0);
  const keep = (): void =>
    setInput(cell.id, "memorize", { params: { ...cell.input.params, ...EVERY_SENTENCE } });
  return (
    <>
      {waiting && (
        <Unfinished title="A run was interrupted" onGoOn={() => void resumeMemorize(cell.id)}>
          {interruptedText(info)}
        </Unfinished>
      )}
      {(documents.length > 0 || !waiting) && (
        <Forecast
          state={state}
          quiet={cell.output !== null && documents.length === 0}
          onKeep={canWrite ? keep : undefined}
        />
      )}
    </>
  );
}

type Estimating = Async<MemorizeEstimate> & { readonly hint: keyof typeof HINTS };

function Forecast({
  state: { status, value: estimate, message, hint },
  quiet,
  onKeep,
}: Readonly<{ state: Estimating; quiet: boolean; onKeep: (() => void) | undefined }>) {
  if (status === "failed")
    return (
      <Notice tone="ochre" title="Could not calculate the budget">
        {message}
      </Notice>
    );
  // With the other hints an earlier estimate is not shown either.
  if (!estimate || (hint !== "working" && hint !== "waiting"))
    return quiet ? null : <Soft measure>{HINTS[hint]}</Soft>;
  const { facts, sentences, candidates, skipped } = estimate;
  const lost = unstored({ sentences, candidates, retained: facts }, estimate, "before");
  return (
    <Stack gap={2}>
      <BudgetView budget={estimate} />
      <Text as="p" measure tone="soft" className={s.cost}>
        <strong>
          {counted(facts, "fact")} from {counted(candidates, "candidate sentence")}.
        </strong>{" "}
        {facts > 0 && costSentence(estimate)}
      </Text>
      {lost !== null && (
        <Text as="p" measure tone="soft">
          {lost} {onKeep && <Button size="s" look="quiet" label="Store every sentence" onClick={onKeep} />}
        </Text>
      )}
      {skipped > 0 && <Soft measure>{skippedSentence(estimate)}</Soft>}
    </Stack>
  );
}

const HINTS = {
  none: "Add a model cell above to choose a model.",
  closed: "Open the model to see the budget and the cost of this run.",
  empty: "Add a text to a source cell above to see the budget and the cost of this run.",
  stored: "The source cells above have no new texts: all are in memory, or no longer stored.",
  working: "Calculating the budget…",
  waiting: "Another run uses the model. The budget and the cost appear when it ends.",
  unusable: "A parameter above is invalid. Correct it to see the budget and the cost.",
} as const;

function useEstimate(cell: Cell, documents: readonly DocumentId[], listed: boolean): Estimating {
  const notebook = useNotebook();
  const memory = notebook.id;
  const { params, layers } = cell.input;
  const { engine } = useServices();
  const model = useApp(({ device }) => device.model && modelTag(device.model.identity));
  const running = useApp(deviceIsTaken);
  const facts = useApp(({ memory: { info } }) => info?.facts ?? 0);
  const ids = documents.join(" ");
  const usable = problemsOf(params).length === 0;
  const ask = (signal: AbortSignal) =>
    engine().estimate({ memory, documents, params, ...(layers ? { layers } : {}) }, { signal });
  const asked = useAsync(ask, [memory, ids, params, layers, model, facts, engine], {
    // One device, one queue: an estimate does not wait behind a run.
    wanted: ids !== "" && model !== null && usable && !running,
    delay: TYPING_MS,
    keep: true,
  });
  let hint: keyof typeof HINTS = running ? "waiting" : "working";
  if (!usable) hint = "unusable";
  if (!model) hint = "closed";
  if (!ids) hint = listed ? "stored" : "empty";
  if (!modelCellFor(notebook, cell.id)) hint = "none";
  return { ...asked, hint };
}

const TYPING_MS = 350;

/** `since` identifies the run; another run resets the view. */
export function RunLines({
  progress,
  since,
}: Readonly<{ progress: Extract<RunProgress, { kind: "flow" }>; since: number | null }>) {
  const view = useRunView(progress.stages, since);
  const encode = view.at(-1)?.encode;
  const now = view.at(-1);
  return (
    <Stack gap={3}>
      {now && <RunBar line={now} />}
      <Stack as="ul" gap={1} size="s" plainList className={run.stages} aria-label="Stages">
        {view.map((line) => (
          <li key={line.stage} className={isDone(line) ? run.done : undefined}>
            <span>{stageName(line.stage)}</span>{" "}
            <span className="num">{[countText(line), paceText(line)].filter(Boolean).join(", ")}</span>
          </li>
        ))}
      </Stack>
      {encode && encode.losses.length > 0 && <LossCurves encode={encode} curves={now?.curves ?? []} />}
    </Stack>
  );
}

function RunBar({ line }: { readonly line: StageLine }) {
  const { stage, done, total, run } = line;
  const known = run !== undefined && (run.secondsLeft !== null || run.share > 0);
  return (
    <Progress
      label={stageName(stage)}
      detail={leftText(line)}
      done={known ? run.share : done}
      total={known ? 1 : total}
      tone="rubric"
    />
  );
}

/** Folds each report once, even if the component renders again. */
function useRunView(stages: Parameters<typeof advance>[1], since: number | null): RunView {
  const last = useRef({ stages: null as unknown, since, view: NEW_RUN });
  if (last.current.stages !== stages) {
    const before = last.current.since === since ? last.current.view : NEW_RUN;
    last.current = { stages, since, view: advance(before, stages, performance.now()) };
  }
  return last.current.view;
}

const WIDTH = 320;
const HEIGHT = 72;

function LossCurves({
  encode: { layer, batch, facts, losses },
  curves,
}: Required<Pick<StageLine, "encode" | "curves">>) {
  const now = losses.at(-1);
  const axes = lossAxes(curves);
  const summary = `Batch ${batch}: ${counted(facts, "part")} at layer ${layer}, ${counted(losses.length, "step")}`;
  return (
    <Stack as="figure" gap={1} className={run.curve}>
      <div className={run.plot}>
        {axes.ticks.map((tick) => (
          <span
            key={tick}
            className={run.tick}
            style={{ top: `${100 * (1 - logShare(tick, axes.domain))}%` }}
          >
            {tick}
          </span>
        ))}
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`Loss of the current batch, ${losses[0]?.toFixed(2) ?? ""} at first and ${now?.toFixed(2) ?? ""} now`}
        >
          {axes.ticks.map((tick) => (
            <path
              key={tick}
              d={`M0 ${HEIGHT * (1 - logShare(tick, axes.domain))}H${WIDTH}`}
              className={run.axis}
              vectorEffect="non-scaling-stroke"
            />
          ))}
          {curves.map((curve) => (
            <polyline
              key={curve.batch}
              points={curvePoints(curve.losses, axes, WIDTH, HEIGHT)}
              className={cx(run.loss, curve.batch !== batch && run.past)}
              style={{ "--layer": layerColor(curve.layer) } as object}
              vectorEffect="non-scaling-stroke"
            />
          ))}
        </svg>
      </div>
      <p className={run.steps}>
        <span>1</span>
        <span>step of the batch, loss in nats, logarithmic</span>
        <span>{axes.steps}</span>
      </p>
      <figcaption>
        <span>{summary}</span>
        <span className="num">loss {now === undefined ? "…" : now.toFixed(2)}</span>
      </figcaption>
    </Stack>
  );
}
