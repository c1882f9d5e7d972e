/** @file A fact as recalled: the sentence if exact, otherwise the difference from the stored sentence. */

import { useEffect } from "react";
import { diffWords, inSight } from "./diffWords.ts";
import { Row, Text } from "../controls/layout.tsx";
import type { FactRow } from "../../records/notebook.ts";
import { usePrinting } from "../controls/printing.ts";
import type { LayerIndex } from "../../records/ids.ts";
import { layerColor } from "../layerColor.ts";
import { useActions, useApp } from "../app.tsx";
import s from "./Recalled.module.css";

/**
 * `said` null: inexact, and the recalled text was not stored. `room`: characters of a narrow line, so that the first
 * difference is visible.
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
          (stored; the recalled text was not saved)
        </Text>
      </Text>
    );
  const parts = diffWords(stored, said);
  return (
    <Text font="serif" anywhere>
      <span className="visually-hidden">{`Recalled: ${said} Stored: ${stored}`}</span>
      <span aria-hidden="true">
        {(room === undefined ? parts : inSight(parts, room)).map(({ kind, text }, i) => {
          if (kind === "same") return text;
          const Mark = kind === "stored" ? "del" : "ins";
          return (
            <Mark key={i} className={s[kind]}>
              {text}
            </Mark>
          );
        })}
      </span>
    </Text>
  );
}

type Row = Pick<FactRow, "id" | "value" | "recalled" | "exact">;

/** With the difference to what was stored where that is known. `room` as in {@link Recalled}. */
export function StoredFact({ row, room }: { readonly row: Row; readonly room?: number }) {
  const { value, recalled, exact } = row;
  if (value === null) return <Said id={row.id} />;
  return <Recalled stored={value} said={recalled} exact={exact} {...(room === undefined ? {} : { room })} />;
}

export const Stored = ({ fact: { id, value } }: { readonly fact: Pick<FactRow, "id" | "value"> }) =>
  value ?? <Said id={id} />;

/** The recalled text of a fact that is stored without words; in print, without the app, a note. */
export const Said = ({ id }: Pick<FactRow, "id">) =>
  usePrinting() ? <Unsaid>{UNPRINTED}</Unsaid> : <SaidNow id={id} />;

function SaidNow({ id }: Pick<FactRow, "id">) {
  const text = useStored({ id, value: null });
  if (text === null) return <Unsaid>stored without words; open the model to recall them</Unsaid>;
  return (
    <Text font="serif" anywhere>
      {text}
    </Text>
  );
}

const Unsaid = ({ children }: { readonly children: string }) => (
  <Text tone="soft" font="sans" size="s">
    {children}
  </Text>
);

/** Placeholder in print for words that are not in the notebook. */
export const UNPRINTED = "stored without words";

export function LayerChip({ layer }: { readonly layer: LayerIndex }) {
  return (
    <Row as="span" align="center" gap="0.4rem" inline>
      <span className={s.colour} style={{ background: layerColor(layer) }} aria-hidden="true" />
      <span className="visually-hidden">layer </span>
      <span className="num">{layer}</span>
    </Row>
  );
}

/** A fact's value, null where the memory has none and the model has not said it; the open model is asked for it. */
export function useStored({ id, value }: Pick<FactRow, "id" | "value">): string | null {
  const said = useApp(({ memory }) => memory.said.get(id));
  const open = useApp(({ device }) => device.model !== null);
  const { sayFact } = useActions();
  const wanted = value === null && said === undefined && open;
  useEffect(() => {
    if (wanted) sayFact(id);
  }, [wanted, sayFact, id]);
  return value ?? said ?? null;
}
