/** @file The stored keys that competed at a recall key, strongest first, with their weights α at β. */

import type { GatedRead } from "../../../records/answer.ts";
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
  const nameOf = (id: FactId): string => {
    const row = rows.get(id);
    return row ? keyText(row) : id === own ? "this fact" : "a fact that was deleted since";
  };
  const rivals = competitors.filter(({ id }) => id !== own);
  const nearest = rivals[0];
  return (
    <details className={s.details}>
      <summary className={s.summary}>
        {nearest
          ? `${counted(rivals.length, "competitor")}, nearest ${nameOf(nearest.id)} at ${cosine(nearest.similarity)}`
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
          {competitors.map(({ id, similarity, weight }) => (
            <tr key={id} className={cx(id === winner && s.winner)}>
              <th scope="row">
                {nameOf(id)}
                {id === winner && <span className={s.note}> won</span>}
              </th>
              <td className={s.number}>{cosine(similarity)}</td>
              <td>
                <span className={s.weight}>
                  <span className={s.bar} style={{ width: `${weight * 100}%` }} aria-hidden="true" />
                </span>
                <span className="num">{weight >= 0.0005 ? weight.toFixed(3) : "<0.001"}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
