/** @file The form that chooses a model of transformers.js: its source, weights and device. */

import { useState, type ReactNode } from "react";
import { onnxFile, type EmbedderChoice } from "../../records/embedder.ts";
import { DTYPES, type EmbedderDtype } from "../../records/model.ts";
import { useApp } from "../app.tsx";
import { Choice, Select } from "../controls/Field.tsx";
import type { NamedFile } from "../controls/DropZone.tsx";
import { Grid } from "../controls/basics.tsx";
import { bytes } from "../format.ts";
import { CachedModels, RepoForm, FolderDrop, droppedModel } from "./hubModels.tsx";

export interface Role {
  readonly what: string;
  readonly none: string;
  readonly known: readonly KnownModel[];
  readonly first: EmbedderChoice;
  readonly example: string;
}

interface Props {
  readonly role: Role;
  readonly choice: EmbedderChoice | null;
  readonly disabled: boolean;
  /** `files`: the dropped files, if the choice is made from files. */
  readonly onChange: (choice: EmbedderChoice | null, files?: ReadonlyMap<string, Blob>) => void;
}

type ChosenProps = Props & { readonly choice: EmbedderChoice };

export function ModelChoice({ children, ...props }: Props & { readonly children?: ReactNode }) {
  const { role, choice, disabled, onChange } = props;
  const first = { own: null, hub: role.first, files: FILES } as const;
  const kind = choice?.from.kind ?? "own";
  const chosen = choice && { ...props, choice };
  return (
    <>
      <Choice
        label={`Source of the ${role.what}`}
        value={kind}
        disabled={disabled}
        onChange={(next) => {
          if (next !== kind) onChange(first[next]);
        }}
        options={{ own: role.none, hub: "From Hugging Face", files: "Your own files" }}
      />
      {choice?.from.kind === "hub" && <HubChoice key={choice.from.repo} {...chosen!} />}
      {choice?.from.kind === "files" && (
        <FolderDrop
          name={choice.from.name}
          what={role.what}
          content="config.json, tokenizer.json, tokenizer_config.json and onnx/model*.onnx"
          disabled={disabled}
          find={(dropped) => choiceFiles(dropped, role.what)}
          onFound={({ name, files, dtypes }) => {
            const dtype = dtypes.find((one) => one === choice.dtype) ?? dtypes[0]!;
            onChange({ ...choice, from: { kind: "files", name }, dtype }, files);
          }}
        />
      )}
      {chosen && <Running {...chosen} />}
      {children}
      {choice?.from.kind === "hub" && (
        <CachedModels
          of="embedders"
          disabled={disabled}
          onPick={({ repo, revision, onnx }) =>
            onChange({ ...choice, from: { kind: "hub", repo, revision }, dtype: onnx ?? choice.dtype })
          }
        />
      )}
    </>
  );
}

const FILES: EmbedderChoice = { from: { kind: "files", name: "" }, dtype: "fp32", device: "wasm" };

function Running({ choice, disabled, onChange }: ChosenProps) {
  const gpu = useApp(({ device }) => device.survey?.webgpu ?? null);
  return (
    <Grid gap="var(--space-3) var(--space-5)" columns="repeat(auto-fill, minmax(min(100%, 12rem), 1fr))">
      <Select
        label="Weights"
        value={choice.dtype}
        disabled={disabled}
        onChange={(dtype) => onChange({ ...choice, dtype })}
        options={DTYPES.map((value) => ({ value, label: value, note: DTYPE_NOTES[value] }))}
      />
      <Select
        label="Runs on"
        value={choice.device}
        disabled={disabled}
        onChange={(device) => onChange({ ...choice, device })}
        options={[
          { value: "wasm", label: "wasm", note: "The processor; works everywhere" },
          { value: "webgpu", label: "WebGPU", note: gpu ?? "Not available on this machine" },
        ]}
      />
    </Grid>
  );
}

const DTYPE_NOTES: Readonly<Record<EmbedderChoice["dtype"], string>> = {
  fp32: "Full precision",
  fp16: "Half the bytes",
  q8: "A quarter, fast on wasm",
  q4: "4 bits",
  q4f16: "4 bits, activations in fp16",
};

/** Finds a model of transformers.js among dropped files; `dtypes`: the available weights, most exact first. */
export function choiceFiles(dropped: readonly NamedFile[], what: string) {
  const found = droppedModel(
    dropped,
    NEEDS,
    `Choose the folder of a ${what} in the layout of transformers.js: config.json, tokenizer.json, tokenizer_config.json and onnx/model*.onnx.`,
    (name) => (/^model\w*\.onnx(_data\w*)?$/.test(name) ? `onnx/${name}` : name),
  );
  if ("problem" in found) return found;
  return { ...found, dtypes: DTYPES.filter((dtype) => found.files.has(onnxFile(dtype))) };
}

const NEEDS = {
  "tokenizer.json": /^tokenizer\.json$/,
  "tokenizer_config.json": /^tokenizer_config\.json$/,
  "onnx/model*.onnx": new RegExp(
    `^(${DTYPES.map((dtype) => onnxFile(dtype).replaceAll(".", "\\.")).join("|")})$`,
  ),
};

const OTHER = "other";

function HubChoice({ role: { known: all, example }, choice, disabled, onChange }: ChosenProps) {
  const { from } = choice;
  const repo = from.kind === "hub" ? from.repo : "";
  const [other, setOther] = useState(!all.some((known) => known.repo === repo));
  const take = (next: string, revision = "main"): void =>
    onChange({ ...choice, from: { kind: "hub", repo: next, revision } });
  return (
    <>
      <Select
        label="Model"
        value={other ? OTHER : repo}
        disabled={disabled}
        onChange={(next) => {
          setOther(next === OTHER);
          if (next !== OTHER) take(next);
        }}
        options={[
          ...all.map((known) => ({ value: known.repo, label: labelOf(known, choice), note: known.note })),
          { value: OTHER, label: "Another model by name" },
        ]}
      />
      {other && (
        <RepoForm
          label="Name on the Hub"
          placeholder={example}
          hint="Needs ONNX weights in the layout of transformers.js"
          button="Use this model"
          repo={repo}
          revision={from.kind === "hub" ? from.revision : "main"}
          disabled={disabled}
          onTake={take}
        />
      )}
    </>
  );
}

function labelOf(known: KnownModel, { dtype }: EmbedderChoice): string {
  const about = aboutBytes(known, dtype);
  return `${known.repo.split("/")[1]!}${about === null ? "" : `, about ${bytes(about)}`}`;
}

export interface KnownModel {
  readonly repo: string;
  readonly millions: number;
  readonly note: string;
}

/** Approximate bytes of the weights; null in 4 bits, because converters quantise different parts. */
export function aboutBytes({ millions }: KnownModel, dtype: EmbedderDtype): number | null {
  const each = BYTES_EACH[dtype];
  return each === null ? null : millions * 1e6 * each;
}

const BYTES_EACH = { fp32: 4, fp16: 2, q8: 1, q4: null, q4f16: null } as const;
