/** @file Every probed layer, best first, with what spoke for or against it, and the part lengths that were tried. */

import { wilson } from "../../../lib/stats.ts";
import {
  lengthCost,
  probedOf,
  type LayerPlan,
  type LayerProbe,
  type LengthProbe,
  type PartPlan,
} from "../../../records/plan.ts";
import { Badge } from "../../controls/Badge.tsx";
import type { Column } from "../../table/column.ts";
import { Table } from "../../table/Table.tsx";

export function Ranking({ plan: { choices, parts } }: { readonly plan: LayerPlan }) {
  return (
    <>
      <Table caption="Layers, best first" columns={COLUMNS} rows={choices} stacks />
      {parts && <Lengths parts={parts} />}
    </>
  );
}

function Lengths({ parts: { longest, tried } }: { readonly parts: PartPlan }) {
  const columns = lengthColumns(longest);
  const rows = tried.toSorted((a, b) => a.longest - b.longest);
  return (
    <Table
      caption="Longest part of a value: the longest within a fifth of the least vectors × steps"
      columns={columns}
      rows={rows}
      stacks
    />
  );
}

/** "87.5 % (53 to 98 %, n = 8)". */
function exactText(probe: LengthProbe | LayerProbe): string {
  const n = probedOf(probe);
  const [low, high] = wilson(probe.exactRate * n, n);
  return `${(100 * probe.exactRate).toFixed(1)} % (${Math.round(100 * low)} to ${Math.round(100 * high)} %, n = ${n})`;
}

const lengthColumns = (chosen: number): readonly Column<LengthProbe>[] => [
  {
    id: "longest",
    label: "Tokens",
    names: true,
    short: "tokens",
    cell: ({ longest }) => (
      <>
        {longest} {longest === chosen && <Badge tone="verdigris">chosen</Badge>}
      </>
    ),
  },
  {
    id: "exact",
    label: "Values exact",
    look: "number",
    short: "exact",
    cell: exactText,
  },
  {
    id: "vectors",
    label: "Vectors a value",
    look: "number",
    short: "vectors a value",
    cell: ({ vectors }) => vectors.toFixed(1),
  },
  {
    id: "steps",
    label: "Steps a token",
    look: "number",
    short: "steps a token",
    cell: ({ steps }) => steps.toFixed(1),
  },
  {
    id: "product",
    label: "Vectors × steps",
    look: "number",
    short: "vectors × steps",
    cell: (tried) => lengthCost(tried).toFixed(1),
  },
];

const COLUMNS: readonly Column<LayerPlan["choices"][number]>[] = [
  { id: "rank", label: "Rank", look: "number", short: "rank", cell: ({ rank }) => rank },
  {
    id: "layer",
    label: "Layer",
    names: true,
    short: "layer",
    cell: ({ layer, chosen }) => (
      <>
        {layer} {chosen && <Badge tone="verdigris">chosen</Badge>}
      </>
    ),
  },
  {
    id: "exact",
    label: "Exact",
    look: "number",
    short: "exact",
    cell: exactText,
  },
  {
    id: "fidelity",
    label: "Fidelity",
    look: "number",
    short: "fidelity",
    cell: ({ fidelity }) => fidelity.toFixed(3),
  },
  {
    id: "cost",
    label: "Cost, s a fact",
    look: "number",
    short: "cost, s a fact",
    // Seconds of another machine say nothing of this one.
    cell: ({ cost, recorded }) => (recorded ? "" : cost.toFixed(2)),
  },
  { id: "why", label: "Why", look: "soft", cell: ({ why }) => why },
];
