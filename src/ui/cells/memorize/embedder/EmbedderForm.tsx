/** @file The choice of a text embedder: where it comes from, its weights, where it runs, and how it was found to work. */

import { useEffect } from "react";
import { DTYPES, type EmbedderChoice } from "../../../../records/embedder.ts";
import { choiceNamed, sameEmbedder } from "../../../../records/embedderName.ts";
import { useActions, useApp, type CellProps } from "../../../app.tsx";
import { Button } from "../../../controls/Button.tsx";
import { Choice } from "../../../controls/Choice.tsx";
import { DropZone, type NamedFile } from "../../../controls/DropZone.tsx";
import { Select } from "../../../controls/Select.tsx";
import { toast } from "../../../controls/toasts.ts";
import { CachedModels } from "../../model/CachedModels.tsx";
import { HubEmbedder } from "./HubEmbedder.tsx";
import { embedderFiles } from "./embedderFiles.ts";
import { floorSentence } from "./embedderText.ts";
import { FIRST_HUB } from "./knownEmbedders.ts";
import s from "./EmbedderForm.module.css";

export interface EmbedderFormProps extends CellProps<"memorize"> {
  readonly disabled: boolean;
}

export function EmbedderForm({ cell, disabled }: EmbedderFormProps) {
  const { setEmbedder } = useActions();
  const choice = cell.input.embedder ?? null;
  const kind = choice?.from.kind ?? "own";
  const put = (next: EmbedderChoice | null): void => setEmbedder(cell.id, next);
  return (
    <div className={s.form}>
      <p className={s.note}>
        It finds the facts that a question is about where they share no word. A memory is indexed by one
        embedder, and asked with the same.
      </p>
      <Choice
        label="Where the text embedder comes from"
        value={kind}
        disabled={disabled}
        onChange={(next) => {
          if (next !== kind) put(FIRST[next]);
        }}
        options={[
          { value: "own", label: "The model itself" },
          { value: "hub", label: "From Hugging Face" },
          { value: "files", label: "Files of your own" },
        ]}
      />
      {choice?.from.kind === "hub" && (
        <HubEmbedder key={choice.from.repo} choice={choice} disabled={disabled} onChange={put} />
      )}
      {choice?.from.kind === "files" && <FilesEmbedder cell={cell} choice={choice} disabled={disabled} />}
      {choice && <Running choice={choice} disabled={disabled} onChange={put} />}
      <State cell={cell} choice={choice} disabled={disabled} />
      {choice?.from.kind === "hub" && (
        <CachedModels
          of="embedders"
          disabled={disabled}
          onPick={({ repo, revision, onnx }) =>
            put({ ...choice, from: { kind: "hub", repo, revision }, dtype: onnx ?? choice.dtype })
          }
        />
      )}
    </div>
  );
}

const FIRST: Readonly<Record<"own" | "hub" | "files", EmbedderChoice | null>> = {
  own: null,
  hub: FIRST_HUB,
  files: { from: { kind: "files", name: "" }, dtype: "fp32", device: "wasm" },
};

function FilesEmbedder({ cell, choice, disabled }: EmbedderFormProps & { readonly choice: EmbedderChoice }) {
  const { setEmbedderFiles } = useActions();
  const take = (dropped: readonly NamedFile[]): void => {
    const found = embedderFiles(dropped);
    if ("problem" in found) {
      toast.failed(found.problem);
      return;
    }
    const dtype = found.dtypes.find((one) => one === choice.dtype) ?? found.dtypes[0]!;
    setEmbedderFiles(cell.id, { ...choice, from: { kind: "files", name: found.name }, dtype }, found.files);
  };
  const name = choice.from.kind === "files" ? choice.from.name : "";
  return (
    <DropZone onFiles={take} disabled={disabled} folders>
      {name ? <strong>{name}</strong> : "Drop the folder of a text embedder here"}
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
    <div className={s.fields}>
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
    </div>
  );
}

const DTYPE_NOTES: Readonly<Record<EmbedderChoice["dtype"], string>> = {
  fp32: "As it was trained",
  fp16: "Half the bytes",
  q8: "A quarter, fast on wasm",
  q4: "4 bits",
  q4f16: "4 bits, the rest in fp16",
};

/** Whether it is in use, with its floor, or when it will be. */
function State({ cell, choice, disabled }: EmbedderFormProps & { readonly choice: EmbedderChoice | null }) {
  const { openEmbedder, showEmbedder } = useActions();
  const used = useApp(({ device }) => device.embedder);
  const model = useApp(({ device }) => device.model);
  const madeAt = cell.output?.stamp.at;
  // The model's own floor is known after its first text.
  useEffect(() => {
    if (model) void showEmbedder().catch(() => undefined);
  }, [model, madeAt, showEmbedder]);
  const named = used ? choiceNamed(used.name) : undefined;
  if (used && named !== undefined && sameEmbedder(named, choice))
    return (
      <p className={s.note} role="status">
        In use{choice ? ` and tried: ${used.name}` : ""}. {floorSentence(used)}
      </p>
    );
  if (!choice) return null;
  const empty = choice.from.kind === "files" && choice.from.name === "";
  return (
    <p className={s.note}>
      It is {choice.from.kind === "hub" ? "fetched, opened" : "opened"} and tried on made pairs when the cell
      runs, or now. No text leaves this tab.{" "}
      <Button size="s" disabled={disabled || empty} onClick={() => void openEmbedder(cell.id)}>
        Open and try it
      </Button>
    </p>
  );
}
