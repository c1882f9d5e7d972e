/** @file The stored keys that competed at a recall key, strongest first, with their weights α at β. */

import type { Competitor, GatedRead } from "../../../records/answer.ts";
import type { FactId } from "../../../records/ids.ts";
import type { FactRow } from "../../../records/notebook.ts";
import { cx } from "../../cx.ts";
import { keyText } from "../../../records/fact.ts";
import { counted } from "../../format.ts";
import { cosine } from "./trace.ts";
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
  const rivals = competitors.filter(({ id }) => id !== own);
  const nearest = rivals[0];
  // Parts of one fact may compete; the strongest of the winner's is the one that won.
  const won = competitors.findIndex(({ id }) => id === winner);
  return (
    <details className={s.details}>
      <summary className={s.summary}>
        {nearest
          ? `${counted(rivals.length, "competitor")}, nearest ${nameOf(nearest)} at ${cosine(nearest.similarity)}`
          : "no competitor at this layer"}
      </summary>
      <table className={s.table}>
        <caption className="visually-hidden">Competitors at β = {beta}</caption>
        <thead>
          <tr>
            <th scope="col">Key</th>
            <th scope="col" className={s.number}>
              Similarity
            </th>
            <th scope="col">
              α at β = <span className="num">{beta}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {competitors.map((competitor, i) => (
            <tr key={i} className={cx(i === won && s.winner)}>
              <th scope="row">
                {nameOf(competitor)}
                {i === won && <span className={s.note}> won</span>}
              </th>
              <td className={s.number}>{cosine(competitor.similarity)}</td>
              <td>
                <span className={s.weight}>
                  <span
                    className={s.bar}
                    style={{ width: `${competitor.weight * 100}%` }}
                    aria-hidden="true"
                  />
                </span>
                <span className="num">
                  {competitor.weight >= 0.0005 ? competitor.weight.toFixed(3) : "<0.001"}
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
