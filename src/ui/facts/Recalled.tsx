/** @file A fact in the model's own words: the sentence when it is exact, else the difference to what was stored. */

import { diffWords, inSight } from "./diffWords.ts";
import { Text } from "../controls/layout.tsx";
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
  if (exact || said === stored)
    return (
      <Text font="serif" anywhere>
        {stored}
      </Text>
    );
  if (said === null)
    return (
      <Text font="serif" anywhere>
        {stored}{" "}
        <Text tone="soft" font="sans" size="s">
          (stored; what the model says was not kept)
        </Text>
      </Text>
    );
  const parts = diffWords(stored, said);
  return (
    <Text font="serif" anywhere>
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
    </Text>
  );
}
