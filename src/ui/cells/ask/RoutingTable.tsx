/** @file Which anchors were weighed for a question, by which ranks and scores, and why each was kept or cut. */

import type { Route, RoutedAnchor } from "../../../records/answer.ts";
import { counted } from "../../format.ts";
import type { Column } from "../../table/column.ts";
import { Table } from "../../table/Table.tsx";
import { CUT_SHOWN, fusedScore, keptFirst } from "./trace.ts";
import { Text } from "../../controls/layout.tsx";
import s from "./RoutingTable.module.css";

export function RoutingTable({ route: { anchors, more = 0 } }: { readonly route: Route }) {
  const kept = anchors.filter((anchor) => anchor.kept).length;
  return (
    <>
      <Table
        caption="Anchors weighed for the question"
        columns={COLUMNS}
        rows={keptFirst(anchors)}
        keyOf={({ anchor }) => anchor}
        toneOf={(anchor) => (anchor.kept ? undefined : "cut")}
        limit={{
          first: kept + CUT_SHOWN,
          more: (_, rest) => `Show ${counted(rest, "more anchor")} that ${rest === 1 ? "was" : "were"} cut`,
        }}
        className={s.table}
      />
      {more > 0 && (
        <Text as="p" tone="soft" size="s">
          and {counted(more, "more anchor")} with lower scores, cut and not listed.
        </Text>
      )}
    </>
  );
}

const COLUMNS: readonly Column<RoutedAnchor>[] = [
  { id: "anchor", label: "Anchor", names: true, cell: ({ anchor }) => anchor },
  {
    id: "dense",
    label: "Dense",
    short: "dense",
    look: "number",
    about: "Rank and cosine of the anchor's document",
    cell: ({ denseRank, denseScore }) => <Ranked rank={denseRank} score={denseScore} />,
  },
  {
    id: "lexical",
    label: "Lexical",
    short: "lexical",
    look: "number",
    about: "Rank and IDF-weighted score of the words in common",
    cell: ({ lexicalRank, lexicalScore }) => <Ranked rank={lexicalRank} score={lexicalScore} />,
  },
  {
    id: "fused",
    label: "Fused ×10³",
    short: "fused ×10³",
    look: "number",
    about: "Reciprocal rank fusion: the sum of 1 / (60 + rank), times 1000",
    cell: ({ fused }) => fusedScore(fused),
  },
  { id: "verdict", label: "Verdict", cell: ({ kept, why }) => (kept ? `kept: ${why}` : why) },
];

/** "1 · 0.82"; a dash where this side did not rank the anchor. */
function Ranked({ rank, score }: { readonly rank: number | null; readonly score: number | null }) {
  if (rank === null) return <span aria-label="not ranked">–</span>;
  return (
    <>
      {rank}
      {score !== null && <Text tone="soft"> · {score.toFixed(2)}</Text>}
    </>
  );
}
