/** @file A fact in the model's own words: the sentence when it is exact, else the difference to what was stored. */

import { diffWords, inSight } from "./diffWords.ts";
import s from "./Recalled.module.css";

/**
 * `said` null: the model says something else, but what it says was not kept. `room`: characters of a narrow line, so
 * that the first difference is in sight.
 */
export function Recalled({
  stored,
  said,
  exact,
  room,
}: {
  readonly stored: string;
  readonly said: string | null;
  readonly exact: boolean;
  readonly room?: number;
}) {
  if (exact || said === stored) return <span className={s.text}>{stored}</span>;
  if (said === null)
    return (
      <span className={s.text}>
        {stored} <span className={s.note}>(stored; what the model says was not kept)</span>
      </span>
    );
  const parts = diffWords(stored, said);
  return (
    <span className={s.text}>
      <span className="visually-hidden">{`The model says: ${said} Stored: ${stored}`}</span>
      <span aria-hidden="true">
        {(room === undefined ? parts : inSight(parts, room)).map(({ kind, text }, i) =>
          kind === "same" ? (
            text
          ) : kind === "stored" ? (
            <del key={i} className={s.stored}>
              {text}
            </del>
          ) : (
            <ins key={i} className={s.said}>
              {text}
            </ins>
          ),
        )}
      </span>
    </span>
  );
}
