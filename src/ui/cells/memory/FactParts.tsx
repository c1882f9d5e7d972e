/** @file The vectors that a long value is stored in, each under its own key with how it came out. */

import { keyText } from "../../../records/fact.ts";
import type { FactRow, PartRow } from "../../../records/notebook.ts";
import { LayerChip } from "../../facts/LayerChip.tsx";
import { partKey } from "../../facts/partKey.ts";
import type { Column } from "../../table/column.ts";
import { Table } from "../../table/Table.tsx";
import { Fidelity } from "./columns.tsx";

export function FactParts({ row }: { readonly row: FactRow }) {
  return (
    <Table
      caption={`Parts of ${keyText(row)}, in the order of its value`}
      columns={[partKey(row), ...NUMBERS, ...(row.exact ? [] : [SAID])]}
      rows={row.parts ?? []}
      keyOf={({ part }) => String(part)}
    />
  );
}

const NUMBERS: readonly Column<PartRow>[] = [
  { id: "layer", label: "Layer", cell: ({ layer }) => <LayerChip layer={layer} /> },
  { id: "tokens", label: "Tokens", look: "number", cell: ({ tokens }) => tokens },
  { id: "steps", label: "Steps", look: "number", cell: ({ steps }) => steps },
  { id: "fidelity", label: "Fidelity", look: "number", cell: (part) => <Fidelity of={part} /> },
  { id: "delta", label: "‖δ‖", look: "number", cell: ({ deltaNorm }) => deltaNorm.toPrecision(4) },
];

const SAID: Column<PartRow> = {
  id: "said",
  label: "The model says instead",
  look: "words",
  cell: ({ exact, recalled }) => (exact ? "" : (recalled ?? "not kept")),
};
