/** @file Every probed layer, best first, with what spoke for or against it. */

import type { LayerPlan } from "../../../records/plan.ts";
import { Badge } from "../../controls/Badge.tsx";
import type { Column } from "../../table/column.ts";
import { Table } from "../../table/Table.tsx";

export function Ranking({ plan: { choices } }: { readonly plan: LayerPlan }) {
  return <Table caption="Layers, best first" columns={COLUMNS} rows={choices} stacks />;
}

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
    cell: ({ exactRate }) => `${(100 * exactRate).toFixed(1)} %`,
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
    cell: ({ cost }) => cost.toFixed(2),
  },
  { id: "why", label: "Why", look: "soft", cell: ({ why }) => why },
];
