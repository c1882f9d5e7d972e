/** @file Which anchors were weighed for a question, by which ranks and scores, and why each was kept or cut. */

import { useState } from "react";
import type { Route } from "../../../records/answer.ts";
import { Button } from "../../controls/Button.tsx";
import { cx } from "../../cx.ts";
import { counted } from "../../format.ts";
import { fusedScore, routingRows } from "./trace.ts";
import s from "./RoutingTable.module.css";

export function RoutingTable({ route }: { readonly route: Route }) {
  const [all, setAll] = useState(false);
  const { rows, more } = routingRows(route.anchors, all);
  if (route.anchors.length === 0) return null;
  return (
    <>
      <table className={s.table}>
        <caption className="visually-hidden">Anchors weighed for the question</caption>
        <thead>
          <tr>
            <th scope="col">Anchor</th>
            <th scope="col" className={s.number} title="Rank and cosine of the anchor's document">
              Dense
            </th>
            <th scope="col" className={s.number} title="Rank and IDF-weighted score of the words in common">
              Lexical
            </th>
            <th
              scope="col"
              className={s.number}
              title="Reciprocal rank fusion: the sum of 1 / (60 + rank), times 1000"
            >
              Fused ×10³
            </th>
            <th scope="col">Verdict</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ anchor, denseRank, denseScore, lexicalRank, lexicalScore, fused, kept, why }) => (
            <tr key={anchor} className={cx(!kept && s.cut)}>
              <th scope="row" className={s.anchor}>
                {anchor}
              </th>
              <td className={s.number} data-label="dense">
                <Ranked rank={denseRank} score={denseScore} />
              </td>
              <td className={s.number} data-label="lexical">
                <Ranked rank={lexicalRank} score={lexicalScore} />
              </td>
              <td className={s.number} data-label="fused ×10³">
                {fusedScore(fused)}
              </td>
              <td className={s.verdict}>{kept ? `kept: ${why}` : why}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {more > 0 && (
        <Button look="quiet" size="s" onClick={() => setAll(true)}>
          Show {counted(more, "more anchor")} that {more === 1 ? "was" : "were"} cut
        </Button>
      )}
    </>
  );
}

/** "1 · 0.82"; a dash where this side did not rank the anchor. */
function Ranked({ rank, score }: { readonly rank: number | null; readonly score: number | null }) {
  if (rank === null) return <span aria-label="not ranked">–</span>;
  return (
    <>
      <span className={s.rank}>{rank}</span>
      {score !== null && <span className={s.score}> · {score.toFixed(2)}</span>}
    </>
  );
}
