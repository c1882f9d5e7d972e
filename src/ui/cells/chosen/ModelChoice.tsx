/** @file The choice of a model of transformers.js: where it comes from, its weights, and where it runs. */

import type { ReactNode } from "react";
import { DTYPES, type EmbedderChoice } from "../../../records/embedder.ts";
import { useApp } from "../../app.tsx";
import { Choice } from "../../controls/Choice.tsx";
import { DropZone, type NamedFile } from "../../controls/DropZone.tsx";
import { Select } from "../../controls/Select.tsx";
import { toast } from "../../controls/toasts.ts";
import { CachedModels } from "../model/CachedModels.tsx";
import { choiceFiles } from "./choiceFiles.ts";
import { HubChoice } from "./HubChoice.tsx";
import type { KnownModel } from "./knownModels.ts";
import { Grid } from "../../controls/layout.tsx";

/** What a model is chosen for. */
export interface Role {
  /** "text embedder". */
  readonly what: string;
  /** What there is without one. */
  readonly none: string;
  /** What is offered by name, and what is proposed of it. */
  readonly known: readonly KnownModel[];
  readonly first: EmbedderChoice;
  /** Of a name on the Hub. */
  readonly example: string;
}

interface Props {
  readonly role: Role;
  readonly choice: EmbedderChoice | null;
  readonly disabled: boolean;
  /** `files` where some were dropped for it. */
  readonly onChange: (choice: EmbedderChoice | null, files?: ReadonlyMap<string, Blob>) => void;
}

/** `children`: what is said of the choice, between it and what this browser keeps. */
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
        label={`Where the ${role.what} comes from`}
        value={kind}
        disabled={disabled}
        onChange={(next) => {
          if (next !== kind) onChange(first[next]);
        }}
        options={[
          { value: "own", label: role.none },
          { value: "hub", label: "From Hugging Face" },
          { value: "files", label: "Files of your own" },
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
      config.json, tokenizer.json, tokenizer_config.json and onnx/model*.onnx. They are read in place; after a
      reload they must be dropped again.
    </DropZone>
  );
}

/** In which weights, and where it runs. */
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
  fp32: "As it was trained",
  fp16: "Half the bytes",
  q8: "A quarter, fast on wasm",
  q4: "4 bits",
  q4f16: "4 bits, the rest in fp16",
};
