/** @file A fact as the model says it, how it was recalled (its gate, parts and competing keys), and how many facts are read back. */

import { useEffect } from "react";
import { Button, Row, Text, usePrinting } from "../controls/basics.tsx";
import type { FactRow, Stamp } from "../../records/notebook.ts";
import type { FactId, LayerIndex } from "../../records/ids.ts";
import { layerColor } from "../charts/kit/scale.ts";
import { firstOf } from "../../notebook/kinds.ts";
import { somethingGoes } from "../../state/runs.ts";
import { useActions, useApp, useCanWrite, useNotebook } from "../app.tsx";
import { count, counted, dateTime } from "../format.ts";
import s from "./Recalled.module.css";
import {
  narrowest,
  wasRead,
  type GatedRead,
  type ReconstructedPart,
  type Reconstruction,
} from "../../records/answer.ts";
import { keyText } from "../../records/fact.ts";
import { type Column, Table } from "../table/Table.tsx";
import { GATE_WORDS, cosine, gateState, marginText, partKey, ranOn, type GateState } from "./words.ts";
import detail from "./RecallDetails.module.css";

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

/** A fact of an answer whose words were cleared: as the model says it, unless it was deleted or changed since. */
export function SaidSince({ fact, gone, ...mark }: SaidSinceProps) {
  if (gone) return <Unsaid>deleted since</Unsaid>;
  return fact.changed ? <Unsaid>changed since; ask again</Unsaid> : <Said id={fact.id} {...mark} />;
}

interface SaidSinceProps extends Pick<SaidProps, "span"> {
  readonly fact: Pick<Reconstruction, "id" | "changed">;
  readonly gone: boolean;
}

const Unsaid = ({ children }: { readonly children: string }) => (
  <Text tone="soft" font="sans" size="s">
    {children}
  </Text>
);

export const UNPRINTED = "not read back";

export function Stamped(stamp: Pick<Stamp, "at" | "model" | "backend">) {
  const where = ranOn(stamp);
  return (
    <>
      <time dateTime={stamp.at}>{dateTime(stamp.at)}</time>
      {where && `, ${where}`}
    </>
  );
}

export const LayerChip = ({ layer }: { readonly layer: LayerIndex }) => (
  <Row as="span" align="center" gap="0.4rem" inline>
    <span className={s.colour} style={{ background: layerColor(layer) }} aria-hidden="true" />
    <span className="visually-hidden">layer </span>
    <span className="num">{layer}</span>
  </Row>
);

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

type Ids = readonly Pick<FactRow, "id">[];

export function ReadBack({ rows }: { readonly rows: Ids }) {
  const line = useReadBack(rows);
  return line === null ? null : (
    <>
      <Text tone="soft" size="s" className="num">
        {line}
      </Text>{" "}
      <OpenModel />
    </>
  );
}

/** How many of `rows` are read back; null if all are. */
export function useReadBack(rows: Ids): string | null {
  const said = useApp(({ memory }) => memory.said);
  const open = useApp(({ device }) => device.model !== null);
  const known = rows.filter(({ id }) => said.has(id)).length;
  return known === rows.length
    ? null
    : `${count(known)} of ${count(rows.length)} read back${open ? "" : "; open the model to read the rest"}`;
}

export function OpenModel() {
  const { runCell } = useActions();
  const model = firstOf(useNotebook(), "model");
  const open = useApp(({ device }) => device.model !== null);
  const busy = useApp(somethingGoes);
  const [canWrite, printing] = [useCanWrite(), usePrinting()];
  return !model || !canWrite || printing || open ? null : (
    <Button size="s" label="Open the model" disabled={busy} onClick={() => void runCell(model.id)} />
  );
}

/** The sentences as the model says them, once all facts of the memory are read back; null before. */
export const useAllSaid = (): ReadonlyMap<FactId, string> | null =>
  useApp(({ memory: { facts, said } }) => (facts && said.size >= facts.length ? said : null));

const WIDTH = 120;
const at = (value: number): number => Math.max(0, Math.min(1, value)) * WIDTH;

/** A similarity on the scale from 0 to 1, with θ: right of it the gate opens. */
export function Gate(props: Readonly<{ similarity: number; theta: number; state: GateState }>) {
  const { similarity, theta, state } = props;
  const open = state === "open";
  return (
    <Row as="span" align="center" gap="0.45rem" inline>
      <svg
        className={detail.scale}
        width={WIDTH + 8}
        height="18"
        viewBox={`-4 0 ${WIDTH + 8} 18`}
        role="img"
        aria-label={`similarity ${similarity.toFixed(3)}, threshold θ ${theta}`}
        data-open={open}
      >
        <line x1="0" x2={WIDTH} y1="9" y2="9" className={detail.line} />
        <line x1={at(theta)} x2={WIDTH} y1="9" y2="9" className={detail.beyond} />
        <line x1={at(theta)} x2={at(theta)} y1="2" y2="16" className={detail.theta} />
        <circle cx={at(similarity)} cy="9" r="3.5" className={detail.mark} />
      </svg>
      <span className="num">{cosine(similarity)}</span>
      <Text tone={open ? "lapis" : "soft"}>{GATE_WORDS[state]}</Text>
    </Row>
  );
}

interface DetailsProps {
  readonly fact: Reconstruction;
  readonly rows: ReadonlyMap<string, FactRow>;
}

export const RecallDetails = ({ fact, rows }: DetailsProps) => (
  <>
    <RecalledParts fact={fact} />
    <NearestCompetitor read={fact.read} own={fact.id} rows={rows} />
  </>
);

function RecalledParts({ fact }: Pick<DetailsProps, "fact">) {
  const { parts } = fact;
  if (!parts) return null;
  const shut = parts.filter((part) => !wasRead(part)).length;
  const margin = narrowest([fact]);
  return (
    <Text as="details" size="s">
      <summary className={detail.summary}>
        joined from {counted(parts.length, "part")}
        {shut > 0 ? `, ${counted(shut, "gate")} shut` : margin && `, narrowest: ${marginText(margin)}`}
      </summary>
      <Table
        caption={`Parts of ${fact.key}, in the order of its value`}
        columns={[partKey(fact), ...PART_COLUMNS]}
        rows={parts}
        keyOf={({ part }) => String(part)}
      />
    </Text>
  );
}

const PART_COLUMNS: readonly Column<ReconstructedPart>[] = [
  { id: "text", label: "Recalled text", look: "words", cell: ({ text }) => text.trim() },
  { id: "layer", label: "Layer", cell: ({ layer }) => <LayerChip layer={layer} /> },
  { id: "similarity", label: "Similarity", look: "number", cell: ({ read }) => cosine(read.similarity) },
  { id: "gate", label: "Gate", cell: (part) => GATE_WORDS[gateState(part)] },
];

/** The other key that came nearest; how many compete is not known here, as a read keeps the strongest few. */
export function NearestCompetitor({
  read: { competitors },
  own,
  rows,
}: Pick<DetailsProps, "rows"> & { readonly read: Pick<GatedRead, "competitors">; readonly own: FactId }) {
  if (competitors.length === 0) return null;
  const nearest = competitors.find(({ id }) => id !== own);
  if (!nearest)
    return <Unsaid>{competitors.length > 1 ? ALL_ITS_OWN : "no competitor at this layer"}</Unsaid>;
  const row = rows.get(nearest.id);
  const name = row ? keyText({ ...row, part: nearest.part ?? 1 }) : "a fact that was deleted since";
  return <Unsaid>{`nearest competitor ${name} at ${cosine(nearest.similarity)}`}</Unsaid>;
}

const ALL_ITS_OWN = "the strongest keys are all this fact’s own";
