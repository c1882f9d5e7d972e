/** @file The probe cell: asks the model in which layers it knows a subject, and hands the best layers to a memorize cell. */

import type { ReactNode } from "react";
import { layerProbe } from "../../../figures/layers.ts";
import { withLayers, firstOf, memorizeCellBelow, modelCellFor } from "../../../notebook/kinds.ts";
import { layerIndex, type LayerIndex } from "../../../records/ids.ts";
import { isBegun } from "../../../state/runs.ts";
import { useActions, useApp, useCanWrite, useNotebook, useRun, type CellProps } from "../../app.tsx";
import { Figure } from "../../charts/lazyFigures.tsx";
import { Button, Badge, Grid, Row, Stack, Text } from "../../controls/basics.tsx";
import { Checks, NumberField, Slider } from "../../controls/Field.tsx";
import { Progress } from "../../controls/useAsync.tsx";
import { counted, percent } from "../../format.ts";
import { wilson } from "../../../lib/stats.ts";
import {
  lengthCost,
  probedOf,
  type LayerPlan,
  type LayerProbe,
  type LengthProbe,
} from "../../../records/plan.ts";
import { type Column, Table } from "../../table/Table.tsx";
import s from "./ProbeCell.module.css";

export function ProbeCell({ cell }: CellProps<"probe">) {
  const run = useRun(cell.id);
  const stage = run?.progress?.kind === "flow" ? run.progress.stages.at(-1) : undefined;
  const going = isBegun(run);
  return (
    <Stack gap="1rem" className={s.cell}>
      <Text as="p" measure tone="soft">
        Which layers hold facts best, and how many tokens does one vector say best? Held-out facts are encoded
        and recalled at every candidate layer, and longer sentences in parts of several lengths.
      </Text>
      <Settings cell={cell} />
      {going && stage && (
        <Progress
          label={stage.note ?? "Probing layers"}
          detail={stage.total === null ? `${stage.done}` : `${stage.done} of ${stage.total}`}
          done={stage.done}
          total={stage.total}
          tone="rubric"
        />
      )}
      {cell.output && (
        <>
          <Figure figure={layerProbe(cell.output, { ...cell.output.stamp, run: "layer probe" })} />
          <Ranking plan={cell.output} />
          <Offer cell={cell} />
        </>
      )}
    </Stack>
  );
}

function Settings({ cell: { id, input } }: CellProps<"probe">) {
  const { setInput } = useActions();
  const disabled = !useCanWrite();
  const notebook = useNotebook();
  const opened = useApp(({ device }) => device.model?.identity.layers);
  const layers = opened ?? modelCellFor(notebook, id)?.output?.identity.layers ?? null;
  const change = (params: Partial<typeof input.params>): void =>
    setInput(id, "probe", (now) => ({ ...now, params: { ...now.params, ...params } }));
  return (
    <Grid gap="0.75rem 1.5rem" columns="repeat(auto-fit, minmax(min(100%, 13rem), 1fr))">
      {layers !== null && (
        <Checks
          label="Candidate layers"
          hint="None chosen: all that are fit."
          options={Array.from({ length: layers }, (_, i) => ({ value: String(i), label: i }))}
          chosen={input.layers?.map(String) ?? []}
          disabled={disabled}
          onChange={(chosen) => {
            const next = chosen.map((one) => layerIndex(Number(one)));
            setInput(id, "probe", { layers: next.length === 0 ? null : next });
          }}
        />
      )}
      <NumberField
        label="K, layers to choose"
        value={input.params.layers}
        {...{ min: 1, max: layers ?? 128, whole: true, disabled }}
        onChange={(value) => change({ layers: value })}
      />
      <Slider
        label="Least share of the best layer’s exact rate"
        value={input.params.layerShare}
        {...{ min: 0, max: 1, step: 0.05, disabled, format: percent }}
        onChange={(layerShare) => change({ layerShare })}
      />
    </Grid>
  );
}

function Offer({ cell }: CellProps<"probe">) {
  const notebook = useNotebook();
  const { setInput } = useActions();
  const canWrite = useCanWrite();
  const facts = useApp(({ memory }) => memory.info?.facts ?? 0);
  const target = memorizeCellBelow(notebook, cell.id) ?? firstOf(notebook, "memorize");
  if (!target || !cell.output) return null;
  const { layers } = cell.output;
  const taken = target.input.layers;
  const same = taken !== undefined && String(taken) === String(layers);
  const put = (next: readonly LayerIndex[] | null): void =>
    setInput(target.id, "memorize", (input) => withLayers(input, next));
  return (
    <Row wrap align="center" gap="0.5rem 1rem" size="s" tone="soft">
      {same ? (
        <Button icon="undo" size="s" disabled={!canWrite} onClick={() => put(null)}>
          Let the memorise cell probe for itself
        </Button>
      ) : (
        <Button look="primary" label="Use these layers" disabled={!canWrite} onClick={() => put(layers)} />
      )}
      <span role="status">
        {same
          ? `The memorise cell uses ${named(layers)} and does not run a probe.`
          : `Sets ${named(layers)} in the memorise cell.`}
        {facts > 0 &&
          ` The memory has ${counted(facts, "fact")} already and keeps its layers; a new memory uses these.`}
      </span>
    </Row>
  );
}

const named = (layers: readonly LayerIndex[]): string =>
  `${layers.length === 1 ? "layer" : "layers"} ${layers.join(", ")}`;

export const Ranking = ({ plan: { choices, parts } }: { readonly plan: LayerPlan }) => (
  <>
    <Table caption="Layers, best first" columns={COLUMNS} rows={choices} stacks />
    {parts && (
      <Table
        caption="Longest part of a value: the longest within a fifth of the least vectors × steps"
        columns={lengthColumns(parts.longest)}
        rows={parts.tried.toSorted((a, b) => a.longest - b.longest)}
        stacks
      />
    )}
  </>
);

function exactText(probe: LengthProbe | LayerProbe): string {
  const n = probedOf(probe);
  const [low, high] = wilson(probe.exactRate * n, n);
  return `${(100 * probe.exactRate).toFixed(1)} % (${Math.round(100 * low)} to ${Math.round(100 * high)} %, n = ${n})`;
}

const numbers = <R,>(id: string, label: string, cell: (row: R) => ReactNode): Column<R> => ({
  ...{ id, label, short: label.replace(/^./, (first) => first.toLowerCase()), cell },
  look: "number",
});

const namesOf = <R,>(
  id: string,
  label: string,
  of: (row: R) => readonly [name: number, isChosen: boolean],
): Column<R> => ({
  ...{ id, label, short: label.toLowerCase(), names: true },
  cell(row) {
    const [name, isChosen] = of(row);
    return (
      <>
        {name} {isChosen && <Badge tone="verdigris">chosen</Badge>}
      </>
    );
  },
});

const lengthColumns = (chosen: number): readonly Column<LengthProbe>[] => [
  namesOf("longest", "Tokens", ({ longest }) => [longest, longest === chosen]),
  numbers("exact", "Exact values", exactText),
  numbers("vectors", "Vectors per value", ({ vectors }) => vectors.toFixed(1)),
  numbers("steps", "Steps per token", ({ steps }) => steps.toFixed(1)),
  numbers("product", "Vectors × steps", (tried) => lengthCost(tried).toFixed(1)),
];

const COLUMNS: readonly Column<LayerPlan["choices"][number]>[] = [
  numbers("rank", "Rank", ({ rank }) => rank),
  namesOf("layer", "Layer", ({ layer, chosen }) => [layer, chosen]),
  numbers("exact", "Exact", exactText),
  numbers("fidelity", "Fidelity", ({ fidelity }) => fidelity.toFixed(3)),
  // Seconds of another machine do not hold for this one.
  numbers("cost", "Seconds per fact", ({ cost, recorded }) => (recorded ? "" : cost.toFixed(2))),
  { id: "why", label: "Why", look: "soft", cell: ({ why }) => why },
];
