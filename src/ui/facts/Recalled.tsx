/** @file A fact as the model says it, and the difference of two texts. */

import { useEffect } from "react";
import { Row, Text, usePrinting } from "../controls/layout.tsx";
import type { FactRow } from "../../records/notebook.ts";
import type { FactId, LayerIndex } from "../../records/ids.ts";
import { layerColor } from "../charts/kit/colors.ts";
import { useActions, useApp } from "../app.tsx";
import { count } from "../format.ts";
import { diffTokens } from "../../figures/reconstruction.ts";
import s from "./Recalled.module.css";

/** Words of a fact before and after it was changed, with their difference. */
export function Changed({ before, after }: { readonly before: string; readonly after: string }) {
  if (before === after) return after;
  return (
    <Text font="serif" anywhere>
      <span className="visually-hidden">{`Before: ${before} After: ${after}`}</span>
      <span aria-hidden="true">
        {diffWords(before, after).map(({ kind, text }, i) => {
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

/** A fact as the model says it; a note until it was read back, and in print, without the app. */
export const Said = ({ id }: Pick<FactRow, "id">) =>
  usePrinting() ? <Unsaid>{UNPRINTED}</Unsaid> : <SaidNow id={id} />;

function SaidNow({ id }: Pick<FactRow, "id">) {
  const text = useSaid(id);
  const open = useApp(({ device }) => device.model !== null);
  if (text === null) return <Unsaid>{open ? "not read back yet" : "open the model to read it back"}</Unsaid>;
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

/** Placeholder in print for a sentence that is not read back. */
export const UNPRINTED = "not read back";

export function LayerChip({ layer }: { readonly layer: LayerIndex }) {
  return (
    <Row as="span" align="center" gap="0.4rem" inline>
      <span className={s.colour} style={{ background: layerColor(layer) }} aria-hidden="true" />
      <span className="visually-hidden">layer </span>
      <span className="num">{layer}</span>
    </Row>
  );
}

/** A fact as the model says it; null until it was read back, for which the open model is asked. */
export function useSaid(id: FactId): string | null {
  const said = useApp(({ memory }) => memory.said.get(id));
  const wanted =
    useApp(({ device, memory }) => device.model !== null && !memory.fromExample) && said === undefined;
  const { sayFact } = useActions();
  useEffect(() => {
    if (wanted) sayFact(id);
  }, [wanted, sayFact, id]);
  return said ?? null;
}

/** How many of `rows` the model has said; nothing once it has said all. */
export function ReadBack({ rows }: { readonly rows: readonly Pick<FactRow, "id">[] }) {
  const said = useApp(({ memory }) => memory.said);
  const open = useApp(({ device }) => device.model !== null);
  const known = rows.filter(({ id }) => said.has(id)).length;
  if (known === rows.length) return null;
  return (
    <Text tone="soft" size="s" className="num">
      {`${count(known)} of ${count(rows.length)} read back${open ? "" : "; open the model to read the rest"}`}
    </Text>
  );
}

/** The sentences as the model says them, once all facts of the memory are read back; null before. */
export const useAllSaid = (): ReadonlyMap<FactId, string> | null =>
  useApp(({ memory: { facts, said } }) => (facts && said.size >= facts.length ? said : null));

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
