/** @file The form that chooses a model of transformers.js: its source, weights and device. */

import { useState, type ReactNode } from "react";
import { onnxFile, type EmbedderChoice } from "../../records/embedder.ts";
import { DTYPES, type EmbedderDtype } from "../../records/model.ts";
import { useApp } from "../app.tsx";
import { Choice } from "../controls/Choice.tsx";
import { DropZone, type NamedFile } from "../controls/DropZone.tsx";
import { Select } from "../controls/Select.tsx";
import { toast } from "../controls/toasts.ts";
import { CachedModels } from "./CachedModels.tsx";
import { Grid } from "../controls/layout.tsx";
import { bytes, counted } from "../format.ts";
import { RepoForm } from "./RepoForm.tsx";

/** The task that a model is chosen for. */
export interface Role {
  /** "text embedder". */
  readonly what: string;
  /** Label of the option without such a model. */
  readonly none: string;
  /** Models offered by name, and the proposed one. */
  readonly known: readonly KnownModel[];
  readonly first: EmbedderChoice;
  /** Placeholder of the field for a name on the Hub. */
  readonly example: string;
}

interface Props {
  readonly role: Role;
  readonly choice: EmbedderChoice | null;
  readonly disabled: boolean;
  /** `files`: the dropped files, if the choice is made from files. */
  readonly onChange: (choice: EmbedderChoice | null, files?: ReadonlyMap<string, Blob>) => void;
}

/** @param children shown between the choice and the list of cached models. */
export function ModelChoice({
  role,
  choice,
  disabled,
  onChange,
  children,
}: Props & { readonly children?: ReactNode }) {
  const first = { own: null, hub: role.first, files: FILES } as const;
  const kind = choice?.from.kind ?? "own";
  return (
    <>
      <Choice
        label={`Source of the ${role.what}`}
        value={kind}
        disabled={disabled}
        onChange={(next) => {
          if (next !== kind) onChange(first[next]);
        }}
        options={[
          { value: "own", label: role.none },
          { value: "hub", label: "From Hugging Face" },
          { value: "files", label: "Your own files" },
        ]}
      />
      {choice?.from.kind === "hub" && (
        <HubChoice
          key={choice.from.repo}
          {...{ known: role.known, example: role.example, choice, disabled, onChange }}
        />
      )}
      {choice?.from.kind === "files" && <Files {...{ role, choice, disabled, onChange }} />}
      {choice && <Running choice={choice} disabled={disabled} onChange={onChange} />}
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

function Files({ role: { what }, choice, disabled, onChange }: Props & { readonly choice: EmbedderChoice }) {
  const take = (dropped: readonly NamedFile[]): void => {
    const found = choiceFiles(dropped, what);
    if ("problem" in found) {
      toast.failed(found.problem);
      return;
    }
    const dtype = found.dtypes.find((one) => one === choice.dtype) ?? found.dtypes[0]!;
    onChange({ ...choice, from: { kind: "files", name: found.name }, dtype }, found.files);
  };
  const name = choice.from.kind === "files" ? choice.from.name : "";
  return (
    <DropZone onFiles={take} disabled={disabled} folders>
      {name ? <strong>{name}</strong> : `Drop the folder of a ${what} here`}
      <br />
      config.json, tokenizer.json, tokenizer_config.json and onnx/model*.onnx. Files are read in place; drop
      them again after a reload.
    </DropZone>
  );
}

/** Weights and device. */
function Running({
  choice,
  disabled,
  onChange,
}: {
  readonly choice: EmbedderChoice;
  readonly disabled: boolean;
  readonly onChange: (choice: EmbedderChoice) => void;
}) {
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

type FoundModel =
  | {
      readonly name: string;
      readonly files: ReadonlyMap<string, Blob>;
      /** Available weights, most exact first. */
      readonly dtypes: readonly EmbedderDtype[];
    }
  | { readonly problem: string };

/**
 * Finds the model with the topmost config.json among the dropped files; names are relative to its folder.
 * Loose weights count as files of the onnx folder, because file pickers report no folders.
 * @param what name of the model's task, for messages
 */
export function choiceFiles(dropped: readonly NamedFile[], what: string): FoundModel {
  const depth = ({ name }: NamedFile): number => name.split("/").length;
  const [config] = dropped
    .filter(({ name }) => name.split("/").at(-1) === "config.json")
    .sort((a, b) => depth(a) - depth(b));
  if (!config)
    return { problem: `No config.json in the ${counted(dropped.length, "dropped file")}. ${layout(what)}` };
  const folder = config.name.slice(0, -"config.json".length);
  const files = new Map(
    dropped
      .filter(({ name }) => name.startsWith(folder))
      .map(({ name, file }) => [inOnnx(name.slice(folder.length)), file]),
  );
  const missing = ["tokenizer.json", "tokenizer_config.json"].find((name) => !files.has(name));
  if (missing) return { problem: `${missing} is missing next to config.json. ${layout(what)}` };
  const dtypes = DTYPES.filter((dtype) => files.has(onnxFile(dtype)));
  if (dtypes.length === 0)
    return { problem: `onnx/model*.onnx is missing next to config.json. ${layout(what)}` };
  return { name: folder.split("/").at(-2) ?? "dropped files", files, dtypes };
}

const inOnnx = (name: string): string => (/^model\w*\.onnx(_data\w*)?$/.test(name) ? `onnx/${name}` : name);

const layout = (what: string): string =>
  `Choose the folder of a ${what} in the layout of transformers.js: config.json, tokenizer.json, tokenizer_config.json and onnx/model*.onnx.`;

const OTHER = "other";

function HubChoice({
  known: all,
  example,
  choice,
  disabled,
  onChange,
}: {
  readonly known: readonly KnownModel[];
  /** Placeholder of the field for a name on the Hub. */
  readonly example: string;
  readonly choice: EmbedderChoice;
  readonly disabled: boolean;
  readonly onChange: (choice: EmbedderChoice) => void;
}) {
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
          ...all.map((known) => ({
            value: known.repo,
            label: labelOf(known, choice),
            note: known.note,
          })),
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
  /** Millions of parameters. */
  readonly millions: number;
  readonly note: string;
}

/** Approximate bytes of the weights; null in 4 bits, because converters quantise different parts. */
export function aboutBytes({ millions }: KnownModel, dtype: EmbedderDtype): number | null {
  const each = BYTES_EACH[dtype];
  return each === null ? null : millions * 1e6 * each;
}

const BYTES_EACH = { fp32: 4, fp16: 2, q8: 1, q4: null, q4f16: null } as const;
