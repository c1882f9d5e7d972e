/** @file The model cell: choice of the frozen model, its size, the progress of loading, and its device. */

import { Failed, Progress, lazily } from "../../controls/useAsync.tsx";
import { useEffect, useRef, useState } from "react";
import { type Precision, defaultPrecision } from "../../../lib/precision.ts";
import {
  type LoadProgress,
  type ModelSource,
  type ModelFit,
  type ModelListing,
  preflightLine,
} from "../../../records/model.ts";
import type { ModelCell as ModelCellRecord } from "../../../records/notebook.ts";
import { isGoing } from "../../../state/runs.ts";
import { useActions, useApp, useCanWrite, useRun, type CellProps, type FormProps } from "../../app.tsx";
import { Choice, Select } from "../../controls/Field.tsx";
import { Disclosure } from "../../controls/Dialog.tsx";
import type { NamedFile } from "../../controls/DropZone.tsx";
import { Row, Stack, Text, Note, Badge, type Tone } from "../../controls/basics.tsx";
import { bytes, duration, counted, large } from "../../format.ts";
import { FolderDrop, droppedModel } from "../../models/hubModels.tsx";
import { LoadLine } from "../frame/RunLive.tsx";
import { ModelOutput } from "./DevicePanel.tsx";
import { WriterPanel } from "./WriterPanel.tsx";
import { type Column, Table } from "../../table/Table.tsx";
import s from "./ModelCell.module.css";

const HubSource = lazily(async () => (await import("./HubSource.tsx")).HubSource);

export function ModelCell({ cell }: CellProps<"model">) {
  const { setModelFiles, inspectModel } = useActions();
  const canWrite = useCanWrite();
  const run = useRun(cell.id);
  const missing = useApp(({ device }) => device.survey?.webgpuMissing);
  const { source, backend } = cell.input;
  const going = isGoing(run);
  const disabled = !canWrite || going;
  return (
    <Stack gap={3}>
      <Choices cell={cell} disabled={disabled} />
      {source.kind === "hub" && (
        <HubSource key={`${source.repo}@${source.revision}`} {...{ cell, source, disabled }} />
      )}
      {source.kind === "files" && (
        <FolderDrop
          name={source.name}
          what="model"
          content="config.json, tokenizer.json and *.safetensors of a Qwen2, Qwen3, Llama, Mistral or Phi model"
          disabled={disabled}
          find={modelFiles}
          onFound={({ name, files }) => {
            setModelFiles(cell.id, name, files);
            void inspectModel(cell.id);
          }}
        />
      )}
      {going && run.progress?.kind === "load" && <LoadView load={run.progress.load} />}
      {cell.output && !going && <ModelOutput output={cell.output} />}
      {cell.output && !going && <WriterPanel cell={cell} output={cell.output} />}
      {!going && <Inspection cell={cell} />}
      {missing && (backend === "webgpu" || source.kind !== "bundled") && (
        <Note>
          WebGPU is not available here ({missing.reason}), so models run on wasm. {missing.next}
        </Note>
      )}
    </Stack>
  );
}

function Choices({ cell, disabled }: FormProps<"model">) {
  const { setInput } = useActions();
  const { source, backend, precision = "auto" } = cell.input;
  return (
    <Row wrap align="center" gap="var(--space-2) var(--space-5)" justify="between">
      <Choice
        label="Model source"
        value={source.kind}
        disabled={disabled}
        onChange={(kind) => {
          if (kind !== source.kind) setInput(cell.id, "model", { source: FIRST[kind] });
        }}
        options={ORIGINS}
      />
      <Row wrap gap={2}>
        <Select
          label="Precision"
          hideLabel
          value={precision}
          disabled={disabled}
          onChange={(next) => setInput(cell.id, "model", (input) => withPrecision(input, next))}
          className={s.backend ?? ""}
          options={PRECISIONS}
        />
        <Select
          label="Backend"
          hideLabel
          value={backend}
          disabled={disabled}
          onChange={(next) => setInput(cell.id, "model", { backend: next })}
          className={s.backend ?? ""}
          options={BACKENDS}
        />
      </Row>
    </Row>
  );
}

type Input = ModelCellRecord["input"];

const withPrecision = ({ source, backend }: Input, precision: Precision | "auto"): Input => ({
  source,
  backend,
  ...(precision === "auto" ? {} : { precision }),
});

export const FIRST: { readonly [K in ModelSource["kind"]]: ModelSource } = {
  bundled: { kind: "bundled" },
  hub: { kind: "hub", repo: "", revision: "main" },
  files: { kind: "files", name: "" },
};

export const ORIGINS = {
  bundled: "The bundled model",
  hub: "From Hugging Face",
  files: "Your own files",
} as const;

const PRECISIONS = [
  { value: "auto", label: "Default precision", note: "q8 from 0.3 billion weights, otherwise f32" },
  { value: "f32", label: "f32", note: "4 bytes per weight, exact" },
  { value: "f16", label: "f16", note: "2 bytes per weight, if the device supports float16" },
  { value: "q8", label: "q8", note: "1.1 bytes per weight, near-lossless" },
  { value: "q4", label: "q4", note: "0.6 bytes per weight, for models that do not fit otherwise" },
] as const;

const BACKENDS = [
  { value: "auto", label: "Best backend", note: "WebGPU if available, otherwise wasm" },
  { value: "webgpu", label: "WebGPU", note: "The graphics processor" },
  { value: "wasm", label: "wasm", note: "The processor; works everywhere" },
] as const;

/** Finds a model in Hugging Face layout; folders within its folder are left out. */
export function modelFiles(dropped: readonly NamedFile[]): ReturnType<typeof droppedModel> {
  const found = droppedModel(dropped, NEEDS, "Choose a folder in Hugging Face layout, with all its files.");
  if ("problem" in found) return found;
  return { ...found, files: new Map([...found.files].filter(([name]) => !name.includes("/"))) };
}

const NEEDS = { "*.safetensors": /^[^/]+\.safetensors$/, "tokenizer.json": /^tokenizer\.json$/ };

function LoadView({ load }: { readonly load: LoadProgress }) {
  const { stage, done, total, files } = load;
  const rate = useRate(stage, done);
  const left =
    rate && total > done ? `, ${bytes(rate)}/s, ${duration(((total - done) / rate) * 1000)} left` : "";
  return (
    <Stack gap={3}>
      <LoadLine load={load} left={left} />
      {files && files.length > 1 && (
        <Disclosure summary="Each file" defaultOpen={stage === "download"}>
          <Stack gap={2} className={s.each}>
            {files.map((file) => (
              <Progress
                key={file.name}
                label={file.name}
                detail={`${bytes(file.done)} of ${bytes(file.total)}`}
                done={file.done}
                total={file.total}
              />
            ))}
          </Stack>
        </Disclosure>
      )}
    </Stack>
  );
}

function useRate(stage: string, done: number): number | null {
  const meter = useRef(createRate());
  const [rate, setRate] = useState<number | null>(null);
  useEffect(() => {
    meter.current = createRate();
    setRate(null);
  }, [stage]);
  useEffect(() => setRate(meter.current(done, performance.now())), [done]);
  return rate;
}

const WINDOW = 8000;
const SHORTEST = 800;

/** Returns a function of (amount so far, milliseconds) that gives the amount per second; null until known. */
export function createRate(): (done: number, at: number) => number | null {
  let points: { readonly done: number; readonly at: number }[] = [];
  return (done, at) => {
    points = [...points.filter((point) => at - point.at <= WINDOW), { done, at }];
    const first = points[0]!;
    const milliseconds = at - first.at;
    return milliseconds < SHORTEST || done <= first.done ? null : ((done - first.done) / milliseconds) * 1000;
  };
}

function Inspection({ cell }: CellProps<"model">) {
  const inspection = useApp(({ inspections }) => inspections[cell.id]);
  const failedRun = useRun(cell.id)?.problem != null;
  const { inspectModel } = useActions();
  const { source } = cell.input;
  const inspect = (): void => void inspectModel(cell.id);
  if (inspection?.status === "loading") return <Progress label="Reading model details" />;
  if (inspection?.status === "failed")
    // A failed run shows its problem in its place.
    return failedRun ? null : (
      <Failed title="Could not inspect the model" message={inspection.problem.message} onAgain={inspect} />
    );
  const listing = inspection?.listing;
  if (listing && JSON.stringify(listing.source) === JSON.stringify(source))
    return <Listing listing={listing} chosen={cell.input.precision} />;
  if (source.kind !== "bundled") return null;
  return (
    <Disclosure
      summary="Files and fit"
      aside="it ships with the app: no download"
      onOpenChange={(open) => open && inspect()}
    />
  );
}

function Listing({ listing, chosen }: Readonly<{ listing: ModelListing; chosen: Precision | undefined }>) {
  const { files, architecture, parameters, precisions } = listing;
  const precision = chosen ?? defaultPrecision(parameters ?? 0);
  const fit = precisions.find((size) => size.precision === precision)?.fit ?? [];
  const missing = files.reduce((sum, file) => sum + file.bytes - Math.min(file.cached, file.bytes), 0);
  const size = parameters === null ? "" : `, ${large(parameters)} parameters`;
  return (
    <>
      <p>
        {architecture}
        {size}, {bytes(listing.bytes)} in {counted(files.length, "file")}
        {missing > 0 ? `; ${bytes(missing)} to download` : "; all of it is here"}.
      </p>
      <Text as="p" tone="soft">
        {preflightLine(nameOf(listing.source), precisions)}. In {precision}:
      </Text>
      <Stack as="ul" gap="0.25rem" plainList>
        {fit.map(({ backend, verdict, message }) => (
          <li key={backend}>
            <Badge tone={FIT_TONES[verdict]}>
              {backend === "webgpu" ? "WebGPU" : "wasm"}: {verdict}
            </Badge>{" "}
            <Text tone="soft">{message}</Text>
          </li>
        ))}
      </Stack>
      <Disclosure summary="Files">
        <Table caption="Files of the model" columns={FILE_COLUMNS} rows={files} />
      </Disclosure>
    </>
  );
}

const FILE_COLUMNS: readonly Column<ModelListing["files"][number]>[] = [
  { id: "name", label: "File", names: true, cell: ({ name }) => name },
  { id: "here", label: "Here", look: "soft", cell: here },
  { id: "size", label: "Size", look: "number", cell: (file) => bytes(file.bytes) },
];

function nameOf(source: ModelSource): string {
  if (source.kind === "bundled") return "The bundled model";
  return source.kind === "hub" ? source.repo.replace(/^.*\//, "") : source.name;
}

function here({ cached, bytes: whole }: { readonly cached: number; readonly bytes: number }): string {
  if (cached === 0) return "no";
  return cached >= whole ? "yes" : `${bytes(cached)} of it`;
}

const FIT_TONES: Readonly<Record<ModelFit["verdict"], Tone>> = {
  fits: "verdigris",
  tight: "ochre",
  "too big": "rubric",
  unknown: "plain",
};
