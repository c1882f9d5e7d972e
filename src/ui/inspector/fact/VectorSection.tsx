/** @file Key k̂ and residual δ as numbers: statistics, the first numbers, and files. */

import { concat, rawBytes } from "../../../lib/bytes.ts";
import { Fragment } from "react";
import { encodeHeader } from "../../../lib/safetensors.ts";
import { norm } from "../../../lib/vector.ts";
import { keyText } from "../../../records/fact.ts";
import type { MemoryEntry } from "../../../records/memory.ts";
import { useApp } from "../../app.tsx";
import { Ask } from "../../controls/useAsync.tsx";
import { Button, CopyButton, Row, Text, Pairs } from "../../controls/basics.tsx";
import { fileName, saveFile } from "../../controls/page.ts";
import { shortOfOne } from "../../facts/words.ts";
import { count, counted } from "../../format.ts";
import type { FactTools } from "./useFact.ts";
import s from "./FactPanel.module.css";

export const VectorSection = ({ tools: { memory, row } }: { readonly tools: FactTools }) => (
  <Ask
    ask={({ library }) => library().entries({ memory, id: row.id })}
    // Another value or layer is another pair of vectors.
    inputs={[memory, row]}
    what="Reading key and residual"
  >
    {(entries) =>
      entries.length > 0 ? (
        entries.map((entry, i) => (
          <Fragment key={entry.part}>
            {entries.length > 1 && <PartHeading entry={entry} place={i + 1} of={entries.length} />}
            <Vectors entry={entry} />
          </Fragment>
        ))
      ) : (
        <p className={s.soft}>Its vectors are not stored.</p>
      )
    }
  </Ask>
);

interface PartHeadingProps {
  readonly entry: Pick<MemoryEntry, "anchor" | "index" | "part" | "layer" | "tokens"> &
    Readonly<{ report: Pick<MemoryEntry["report"], "exact" | "fidelity"> }>;
  readonly place: number;
  readonly of: number;
}

export function PartHeading({ entry, place, of }: PartHeadingProps) {
  const { layer, tokens, report } = entry;
  const how = report.exact ? "exact" : `F1 ${shortOfOne(report.fidelity)}`;
  return (
    <h5 className={s.heading}>
      {keyText(entry)}{" "}
      <span className={s.soft}>
        part {place} of {of}, layer {layer}, {counted(tokens, "token")}, {how}
      </span>
    </h5>
  );
}

function Vectors({ entry }: { readonly entry: MemoryEntry }) {
  const model = useApp(({ memory }) => memory.info?.model);
  const download = (): void => {
    const bytes = entrySafetensors(entry, model ? `${model.name} ${model.sha256}` : "");
    saveFile(fileName(keyText(entry), "safetensors"), bytes, "application/octet-stream");
  };
  return (
    <>
      <VectorPart name="Key k̂" vector={entry.key} />
      <VectorPart name="Residual δ" vector={entry.residual} />
      <Row wrap gap="0.5rem" className={s.actions}>
        <CopyButton label="Copy both as JSON" text={() => vectorsJson(entry)} />
        <Button size="s" icon="download" label="Download both (safetensors)" onClick={download} />
      </Row>
    </>
  );
}

const FIRST = 8;

function VectorPart({ name, vector }: { readonly name: string; readonly vector: Float32Array }) {
  const { length, deviation, ...numbers } = vectorNumbers(vector);
  const pairs = Object.entries({ ...numbers, "std. dev.": deviation });
  const digits = (value: number): string => value.toPrecision(4);
  return (
    <div className={s.vector}>
      <h5 className={s.subheading}>
        {name} <span className={s.soft}>[{count(length)}]</span>
      </h5>
      <Pairs className={s.numbers} of={pairs.map(([label, value]) => [label, digits(value)])} />
      <Text as="p" tone="soft" whiteSpace="pre-wrap" className={s.first}>
        {Array.from(vector.subarray(0, FIRST), digits).join("  ")}
        {length > FIRST && "  …"}
      </Text>
    </div>
  );
}

/** Norm (Euclidean), extremes and moments; zeros for an empty vector. */
export function vectorNumbers(vector: Float32Array) {
  const { length } = vector;
  if (length === 0) return { length, norm: 0, min: 0, max: 0, mean: 0, deviation: 0 };
  const min = vector.reduce((a, b) => Math.min(a, b));
  const max = vector.reduce((a, b) => Math.max(a, b));
  const mean = vector.reduce((a, b) => a + b) / length;
  const variance = vector.reduce((total, value) => total + (value - mean) ** 2, 0) / length;
  return { length, norm: norm(vector), min, max, mean, deviation: Math.sqrt(variance) };
}

export function vectorsJson(entry: MemoryEntry): string {
  const { id, layer, tokens, key, residual } = entry;
  return JSON.stringify({ id, fact: keyText(entry), layer, tokens, key: [...key], residual: [...residual] });
}

/** Tensors "key" and "residual" of one entry as a safetensors file. */
export function entrySafetensors(entry: MemoryEntry, model: string): Uint8Array<ArrayBuffer> {
  const { id, layer, tokens, key, residual } = entry;
  const spec = (name: string, { length }: Float32Array) => ({ name, dtype: "F32" as const, shape: [length] });
  const metadata = { model, fact: keyText(entry), id, layer: String(layer), tokens: String(tokens) };
  const header = encodeHeader([spec("key", key), spec("residual", residual)], metadata);
  return concat([header, rawBytes(key), rawBytes(residual)]);
}
