/** @file A fact as the model says it, and how many facts are read back. */

import { useEffect } from "react";
import { Row, Text, usePrinting } from "../controls/layout.tsx";
import type { FactRow } from "../../records/notebook.ts";
import type { FactId, LayerIndex } from "../../records/ids.ts";
import { layerColor } from "../charts/kit/colors.ts";
import { useActions, useApp } from "../app.tsx";
import { count } from "../format.ts";
import s from "./Recalled.module.css";

type Span = readonly [from: number, to: number];

export const MarkedText = ({ text, span }: { readonly text: string; readonly span: Span }) => (
  <>
    {text.slice(0, span[0])}
    <mark className={s.marked}>{text.slice(...span)}</mark>
    {text.slice(span[1])}
  </>
);

type SaidProps = Pick<FactRow, "id"> & { readonly span?: Span | null };

/** A fact as the model says it; a note until it was read back, and in print, without the app. */
export const Said = (props: SaidProps) =>
  usePrinting() ? <Unsaid>{UNPRINTED}</Unsaid> : <SaidNow {...props} />;

function SaidNow({ id, span }: SaidProps) {
  const text = useSaid(id);
  const open = useApp(({ device }) => device.model !== null);
  if (text === null) return <Unsaid>{open ? "not read back yet" : "open the model to read it back"}</Unsaid>;
  return (
    <Text font="serif" anywhere>
      {span ? <MarkedText text={text} span={span} /> : text}
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
