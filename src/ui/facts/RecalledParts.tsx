/** @file The parts of a recalled fact: the text of each vector, and the state of its gate. */

import { wasRead, narrowest, type ReconstructedPart, type Reconstruction } from "../../records/answer.ts";
import { LayerChip } from "./Recalled.tsx";
import { partKey } from "./words.ts";
import { counted } from "../format.ts";
import type { Column } from "../table/column.ts";
import { Table } from "../table/Table.tsx";
import { cosine, GATE_WORDS, gateState, marginText } from "./gateText.ts";
import { Text } from "../controls/layout.tsx";
import s from "./Competitors.module.css";

export function RecalledParts({ fact }: { readonly fact: Reconstruction }) {
  const { parts } = fact;
  if (!parts) return null;
  const shut = parts.filter((part) => !wasRead(part)).length;
  const margin = narrowest([fact]);
  return (
    <Text as="details" size="s">
      <summary className={s.summary}>
        joined from {counted(parts.length, "part")}
        {shut > 0 ? `, ${counted(shut, "gate")} shut` : margin && `, narrowest: ${marginText(margin)}`}
      </summary>
      <Table
        caption={`Parts of ${fact.key}, in the order of its value`}
        columns={[partKey(fact), ...COLUMNS]}
        rows={parts}
        keyOf={({ part }) => String(part)}
      />
    </Text>
  );
}

const COLUMNS: readonly Column<ReconstructedPart>[] = [
  { id: "text", label: "Recalled text", look: "words", cell: ({ text }) => text.trim() },
  { id: "layer", label: "Layer", cell: ({ layer }) => <LayerChip layer={layer} /> },
  {
    id: "similarity",
    label: "Similarity",
    look: "number",
    cell: ({ read }) => cosine(read.similarity),
  },
  { id: "gate", label: "Gate", cell: (part) => GATE_WORDS[gateState(part)] },
];
