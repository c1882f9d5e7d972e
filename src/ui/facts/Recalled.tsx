/** @file A fact as recalled: the sentence if exact, otherwise the difference from the stored sentence. */

import { useEffect, type ReactNode } from "react";
import { Row, Text, usePrinting } from "../controls/layout.tsx";
import type { FactRow } from "../../records/notebook.ts";
import type { LayerIndex } from "../../records/ids.ts";
import { layerColor } from "../charts/kit/colors.ts";
import { useActions, useApp } from "../app.tsx";
import { diffTokens } from "../../figures/reconstruction.ts";
import s from "./Recalled.module.css";

interface RecalledProps {
  readonly stored: string;
  /** Null: the recalled text was not stored. */
  readonly said: string | null;
  readonly exact: boolean;
  /** Characters of a line in which the first difference is visible. */
  readonly room?: number | undefined;
}

export const Recalled = (props: RecalledProps) => (
  <Text font="serif" anywhere>
    {recalledWords(props)}
  </Text>
);

function recalledWords({ stored, said, exact, room = Infinity }: RecalledProps): ReactNode {
  if (exact || said === stored) return stored;
  if (said === null)
    return (
      <>
        {stored} <Unsaid>(stored; the recalled text was not saved)</Unsaid>
      </>
    );
  return (
    <>
      <span className="visually-hidden">{`Recalled: ${said} Stored: ${stored}`}</span>
      <span aria-hidden="true">
        {inSight(diffWords(stored, said), room).map(({ kind, text }, i) => {
          if (kind === "same") return text;
          const Mark = kind === "stored" ? "del" : "ins";
          return (
            <Mark key={i} className={s[kind]}>
              {text}
            </Mark>
          );
        })}
      </span>
    </>
  );
}

type Row = Pick<FactRow, "id" | "value" | "recalled" | "exact">;

/** With the difference to what was stored where that is known. `room` as in {@link Recalled}. */
export function StoredFact({ row, room }: { readonly row: Row; readonly room?: number }) {
  const { value, recalled, exact } = row;
  if (value === null) return <Said id={row.id} />;
  return <Recalled stored={value} said={recalled} exact={exact} room={room} />;
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

export interface DiffPart {
  readonly kind: "same" | "stored" | "said";
  readonly text: string;
}

/** Words, spaces and marks as separate pieces; joined they give the text again. */
const pieces = (text: string): string[] => text.match(/\s+|[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*|./gsu) ?? [];

/** Beyond this many pieces on a side the two texts are shown as a whole; no sentence is that long. */
const LONGEST = 600;

/** The differences between `stored` and `said` in reading order; of two changes at one place the stored one is first. */
export function diffWords(stored: string, said: string): readonly DiffPart[] {
  const [a, b] = [pieces(stored), pieces(said)];
  if (a.length > LONGEST || b.length > LONGEST) return merged(changeOf(stored, said));
  return merged(bridged(diffTokens(a, b).map(({ op, token }) => ({ kind: KIND[op], text: token }))));
}

const KIND = { same: "same", missing: "stored", added: "said" } as const;

/** A space that both share between two changed words belongs to the change: "old pier" -> "new dock" is one. */
function bridged(parts: readonly DiffPart[]): DiffPart[] {
  return parts.flatMap((part, i): DiffPart[] => {
    const inside = changed(parts[i - 1]) && changed(parts[i + 1]);
    if (part.kind !== "same" || part.text.trim() !== "" || !inside) return [part];
    return changeOf(part.text, part.text);
  });
}

const changeOf = (stored: string, said: string): DiffPart[] => [
  { kind: "stored", text: stored },
  { kind: "said", text: said },
];

const changed = (part: DiffPart | undefined): boolean => part !== undefined && part.kind !== "same";

/** Joins neighbours of one kind; stored text comes before recalled text. */
function merged(parts: readonly DiffPart[]): DiffPart[] {
  const out: DiffPart[] = [];
  let change = { stored: "", said: "" };
  const flush = (): void => {
    for (const kind of ["stored", "said"] as const)
      if (change[kind] !== "") out.push({ kind, text: change[kind] });
    change = { stored: "", said: "" };
  };
  for (const { kind, text } of parts) {
    if (kind !== "same") change[kind] += text;
    else {
      flush();
      const last = out.at(-1);
      if (last?.kind === "same") out[out.length - 1] = { kind, text: last.text + text };
      else out.push({ kind, text });
    }
  }
  flush();
  return out;
}

/** Characters that are kept before the first difference when the start is cut. */
const LEAD = 24;

/** If the first difference is beyond `room` characters, an ellipsis replaces the start. */
export function inSight(parts: readonly DiffPart[], room: number): readonly DiffPart[] {
  const [first, ...rest] = parts;
  if (first?.kind !== "same" || rest.length === 0 || first.text.length <= room) return parts;
  const tail = first.text.slice(-LEAD);
  const word = tail.indexOf(" ");
  return [{ kind: "same", text: `… ${word < 0 ? tail : tail.slice(word + 1)}` }, ...rest];
}
