/** @file Key k̂ and residual δ as numbers: statistics, the first numbers, and files. */

import { Fragment } from "react";
import type { MemoryEntry } from "../../../records/memory.ts";
import { useApp } from "../../app.tsx";
import { Button } from "../../controls/Button.tsx";
import { CopyButton } from "../../controls/Button.tsx";
import { keyText } from "../../../records/fact.ts";
import { shortOfOne } from "../../facts/words.ts";
import { count, counted } from "../../format.ts";
import { saveFile } from "../../controls/saveFile.ts";
import { Loading } from "./Loading.tsx";
import type { FactTools } from "./useFact.ts";
import { Row, Text } from "../../controls/layout.tsx";
import { encodeHeader } from "../../../lib/safetensors.ts";
import { norm } from "../../../lib/vector.ts";
import s from "./FactPanel.module.css";

export function VectorSection({ tools }: { readonly tools: FactTools }) {
  const { memory, row, saved } = tools;
  if (saved) return <p className={s.soft}>{SAVED}</p>;
  return (
    <Loading
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
    </Loading>
  );
}

export const SAVED =
  "The saved example holds no vectors. Run all cells, and the facts are stored in this browser with theirs.";

/** Names one of several pairs of vectors by its key. */
export function PartHeading({
  entry,
  place,
  of,
}: {
  readonly entry: Pick<MemoryEntry, "anchor" | "index" | "part" | "layer" | "tokens"> & {
    readonly report: Pick<MemoryEntry["report"], "exact" | "fidelity">;
  };
  /** In the order of the value, from 1. */
  readonly place: number;
  readonly of: number;
}) {
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
  const key = keyText(entry);
  const download = (): void => {
    const name = `${key.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "")}.safetensors`;
    const bytes = entrySafetensors(entry, model ? `${model.name} ${model.sha256}` : "");
    saveFile(name.toLowerCase(), bytes, "application/octet-stream");
  };
  return (
    <>
      <VectorPart name="key" vector={entry.key} />
      <VectorPart name="residual" vector={entry.residual} />
      <Row wrap gap="0.5rem" className={s.actions}>
        <CopyButton label="Copy both as JSON" text={() => vectorsJson(entry)} />
        <Button size="s" icon="download" onClick={download}>
          Download both (safetensors)
        </Button>
      </Row>
    </>
  );
}

/** Numbers of a vector that are written out. */
const FIRST = 8;

function VectorPart({ name, vector }: { readonly name: "key" | "residual"; readonly vector: Float32Array }) {
  const { length, norm, min, max, mean, deviation } = vectorNumbers(vector);
  const numbers = { norm, min, max, mean, "std. dev.": deviation };
  return (
    <div className={s.vector}>
      <h5 className={s.subheading}>
        {name === "key" ? "Key k̂" : "Residual δ"} <span className={s.soft}>[{count(length)}]</span>
      </h5>
      <dl className={s.numbers}>
        {Object.entries(numbers).map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd className="num">{value.toPrecision(4)}</dd>
          </div>
        ))}
      </dl>
      <Text as="p" tone="soft" whiteSpace="pre-wrap" className={s.first}>
        {[...vector.subarray(0, FIRST)].map((value) => value.toPrecision(4)).join("  ")}
        {length > FIRST && "  …"}
      </Text>
    </div>
  );
}

interface VectorNumbers {
  readonly length: number;
  /** Euclidean. */
  readonly norm: number;
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly deviation: number;
}

/** An empty vector has zeros. */
export function vectorNumbers(vector: Float32Array): VectorNumbers {
  const { length } = vector;
  let [min, max, sum] = [Infinity, -Infinity, 0];
  for (const value of vector) {
    min = Math.min(min, value);
    max = Math.max(max, value);
    sum += value;
  }
  if (length === 0) return { length, norm: 0, min: 0, max: 0, mean: 0, deviation: 0 };
  const mean = sum / length;
  const variance = vector.reduce((total, value) => total + (value - mean) ** 2, 0) / length;
  return { length, norm: norm(vector), min, max, mean, deviation: Math.sqrt(variance) };
}

/** Key and residual with their metadata, to copy. */
export function vectorsJson(entry: MemoryEntry): string {
  const { id, layer, tokens, key, residual } = entry;
  return JSON.stringify({ id, fact: keyText(entry), layer, tokens, key: [...key], residual: [...residual] });
}

/** Tensors "key" and "residual" of one entry as a safetensors file. */
export function entrySafetensors(entry: MemoryEntry, model: string): Uint8Array<ArrayBuffer> {
  const tensors = [
    { name: "key", data: entry.key },
    { name: "residual", data: entry.residual },
  ];
  const header = encodeHeader(
    tensors.map(({ name, data }) => ({ name, dtype: "F32" as const, shape: [data.length] })),
    { model, fact: keyText(entry), id: entry.id, layer: String(entry.layer), tokens: String(entry.tokens) },
  );
  const bytes = new Uint8Array(header.length + entry.key.byteLength + entry.residual.byteLength);
  bytes.set(header);
  let at = header.length;
  for (const { data } of tensors) {
    bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), at);
    at += data.byteLength;
  }
  return bytes;
}
