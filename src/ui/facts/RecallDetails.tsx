/** @file How a fact was recalled: its gate, the parts it was joined from, and the stored keys that competed. */

import {
  narrowest,
  wasRead,
  type Competitor,
  type GatedRead,
  type ReconstructedPart,
  type Reconstruction,
} from "../../records/answer.ts";
import { keyText } from "../../records/fact.ts";
import type { FactId } from "../../records/ids.ts";
import type { FactRow } from "../../records/notebook.ts";
import { Row, Text } from "../controls/layout.tsx";
import { counted } from "../format.ts";
import { type Column, Table } from "../table/Table.tsx";
import { GATE_WORDS, cosine, gateState, marginText, partKey, type GateState } from "./words.ts";
import { LayerChip } from "./Recalled.tsx";
import s from "./RecallDetails.module.css";

const WIDTH = 120;
const at = (value: number): number => Math.max(0, Math.min(1, value)) * WIDTH;

interface GateProps {
  readonly similarity: number;
  readonly theta: number;
  readonly state: GateState;
}

/** A similarity on the scale from 0 to 1, with θ: right of it the gate opens. */
export function Gate({ similarity, theta, state }: GateProps) {
  const open = state === "open";
  return (
    <Row as="span" align="center" gap="0.45rem" inline>
      <svg
        className={s.scale}
        width={WIDTH + 8}
        height="18"
        viewBox={`-4 0 ${WIDTH + 8} 18`}
        role="img"
        aria-label={`similarity ${similarity.toFixed(3)}, threshold θ ${theta}`}
        data-open={open}
      >
        <line x1="0" x2={WIDTH} y1="9" y2="9" className={s.line} />
        <line x1={at(theta)} x2={WIDTH} y1="9" y2="9" className={s.beyond} />
        <line x1={at(theta)} x2={at(theta)} y1="2" y2="16" className={s.theta} />
        <circle cx={at(similarity)} cy="9" r="3.5" className={s.mark} />
      </svg>
      <span className="num">{cosine(similarity)}</span>
      <Text tone={open ? "lapis" : "soft"}>{GATE_WORDS[state]}</Text>
    </Row>
  );
}

interface DetailsProps {
  readonly fact: Reconstruction;
  readonly rows: ReadonlyMap<string, FactRow>;
  readonly beta: number;
}

export function RecallDetails({ fact, rows, beta }: DetailsProps) {
  return (
    <>
      <RecalledParts fact={fact} />
      <Competitors read={fact.read} own={fact.id} rows={rows} beta={beta} />
    </>
  );
}

function RecalledParts({ fact }: Pick<DetailsProps, "fact">) {
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
        columns={[partKey(fact), ...PART_COLUMNS]}
        rows={parts}
        keyOf={({ part }) => String(part)}
      />
    </Text>
  );
}

const PART_COLUMNS: readonly Column<ReconstructedPart>[] = [
  { id: "text", label: "Recalled text", look: "words", cell: ({ text }) => text.trim() },
  { id: "layer", label: "Layer", cell: ({ layer }) => <LayerChip layer={layer} /> },
  { id: "similarity", label: "Similarity", look: "number", cell: ({ read }) => cosine(read.similarity) },
  { id: "gate", label: "Gate", cell: (part) => GATE_WORDS[gateState(part)] },
];

export const WeightBar = ({ share }: { readonly share: number }) => (
  <span className={s.weight} aria-hidden="true">
    <span className={s.bar} style={{ width: `${share * 100}%` }} />
  </span>
);

export function Competitors({
  read: { competitors, winner },
  own,
  rows,
  beta,
}: Omit<DetailsProps, "fact"> & { readonly read: GatedRead; readonly own: FactId }) {
  if (competitors.length === 0) return null;
  const nameOf = ({ id, part = 1 }: Competitor): string => {
    const row = rows.get(id);
    return row ? keyText({ ...row, part }) : id === own ? "this fact" : "a fact that was deleted since";
  };
  // How many compete is not known here: a read keeps the strongest few.
  const nearest = competitors.find(({ id }) => id !== own);
  // Parts of one fact may compete; the strongest of the winner's is the one that won.
  const won = competitors.find(({ id }) => id === winner);
  const columns: readonly Column<Competitor>[] = [
    {
      id: "key",
      label: "Key",
      names: true,
      cell: (competitor) => (
        <>
          {nameOf(competitor)}
          {competitor === won && <Text tone="soft"> won</Text>}
        </>
      ),
    },
    { id: "similarity", label: "Similarity", look: "number", cell: ({ similarity }) => cosine(similarity) },
    {
      id: "weight",
      label: (
        <>
          α at β = <span className="num">{beta}</span>
        </>
      ),
      cell: ({ weight }) => (
        <>
          <WeightBar share={weight} />
          <span className="num">{weight >= 0.0005 ? weight.toFixed(3) : "<0.001"}</span>
        </>
      ),
    },
  ];
  const alone =
    competitors.length > 1 ? "the strongest keys are all this fact’s own" : "no competitor at this layer";
  return (
    <Text as="details" size="s">
      <summary className={s.summary}>
        {nearest ? `nearest competitor ${nameOf(nearest)} at ${cosine(nearest.similarity)}` : alone}
      </summary>
      <Table
        caption={`The strongest keys at β = ${beta}`}
        columns={columns}
        rows={competitors}
        toneOf={(competitor) => (competitor === won ? "winner" : undefined)}
        className={s.table}
      />
    </Text>
  );
}
