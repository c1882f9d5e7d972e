/** @file The stored keys that competed at a recall key, strongest first, with their weights α at β. */

import type { Competitor, GatedRead } from "../../records/answer.ts";
import type { FactId } from "../../records/ids.ts";
import type { FactRow } from "../../records/notebook.ts";
import { keyText } from "../../records/fact.ts";
import type { Column } from "../table/column.ts";
import { Table } from "../table/Table.tsx";
import { cosine } from "./gateText.ts";
import { Text } from "../controls/layout.tsx";
import s from "./Competitors.module.css";

export function Competitors({
  read: { competitors, winner },
  own,
  rows,
  beta,
}: {
  readonly read: GatedRead;
  readonly own: FactId;
  readonly rows: ReadonlyMap<string, FactRow>;
  readonly beta: number;
}) {
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
      cell: ({ weight }) => <Weight weight={weight} />,
    },
  ];
  return (
    <Text as="details" size="s">
      <summary className={s.summary}>
        {nearest
          ? `nearest competitor ${nameOf(nearest)} at ${cosine(nearest.similarity)}`
          : competitors.length > 1
            ? "the strongest keys are all this fact’s own"
            : "no competitor at this layer"}
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

function Weight({ weight }: { readonly weight: number }) {
  return (
    <>
      <span className={s.weight}>
        <span className={s.bar} style={{ width: `${weight * 100}%` }} aria-hidden="true" />
      </span>
      <span className="num">{weight >= 0.0005 ? weight.toFixed(3) : "<0.001"}</span>
    </>
  );
}
