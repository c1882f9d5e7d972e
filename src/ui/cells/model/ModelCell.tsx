/** @file The model cell: which frozen model, what it takes, how it is coming, and what it runs on. */

import { lazy, Suspense } from "react";
import type { Precision } from "../../../lib/precision.ts";
import type { ModelSource } from "../../../records/model.ts";
import type { ModelCell as ModelCellRecord } from "../../../records/notebook.ts";
import { isGoing } from "../../../state/going.ts";
import { useActions, useApp, useCanWrite, useRun, type CellProps } from "../../app.tsx";
import { Choice } from "../../controls/Choice.tsx";
import { Select } from "../../controls/Select.tsx";
import { FilesSource } from "./FilesSource.tsx";
import { Inspection } from "./Inspection.tsx";
import { LoadView } from "./LoadView.tsx";
import { ModelOutput } from "./ModelOutput.tsx";
import { Row, Stack, Text } from "../../controls/layout.tsx";
import s from "./ModelCell.module.css";

const HubSource = lazy(() => import("./HubSource.tsx").then((module) => ({ default: module.HubSource })));

export function ModelCell({ cell }: CellProps<"model">) {
  const canWrite = useCanWrite();
  const run = useRun(cell.id);
  const { source, backend } = cell.input;
  const going = isGoing(run);
  const disabled = !canWrite || going;
  return (
    <Stack gap={3}>
      <Choices cell={cell} disabled={disabled} />
      {source.kind === "hub" && (
        <Suspense fallback={null}>
          <HubSource
            key={`${source.repo}@${source.revision}`}
            cell={cell}
            source={source}
            disabled={disabled}
          />
        </Suspense>
      )}
      {source.kind === "files" && <FilesSource cell={cell} name={source.name} disabled={disabled} />}
      {going && run.progress?.kind === "load" && <LoadView load={run.progress.load} />}
      {cell.output && !going && <ModelOutput output={cell.output} />}
      {!going && <Inspection cell={cell} />}
      {(backend === "webgpu" || source.kind !== "bundled") && <WebGpuLine />}
    </Stack>
  );
}

/** Where the model comes from, how its matrices are held, and what it runs on. */
function Choices({ cell, disabled }: CellProps<"model"> & { readonly disabled: boolean }) {
  const { setInput } = useActions();
  const { source, backend, precision = "auto" } = cell.input;
  const put = (change: (input: Input) => Input): void => setInput(cell.id, "model", change);
  return (
    <Row wrap align="center" gap="var(--space-2) var(--space-5)" justify="between">
      <Choice
        label="Where the model comes from"
        value={source.kind}
        disabled={disabled}
        onChange={(kind) => {
          if (kind !== source.kind) put((input) => ({ ...input, source: FIRST[kind] }));
        }}
        options={ORIGINS}
      />
      <Select
        label="Precision"
        hideLabel
        value={precision}
        disabled={disabled}
        onChange={(next) => put((input) => withPrecision(input, next))}
        className={s.backend ?? ""}
        options={PRECISIONS}
      />
      <Select
        label="Backend"
        hideLabel
        value={backend}
        disabled={disabled}
        onChange={(next) => put((input) => ({ ...input, backend: next }))}
        className={s.backend ?? ""}
        options={BACKENDS}
      />
    </Row>
  );
}

type Input = ModelCellRecord["input"];

function withPrecision({ source, backend }: Input, precision: Precision | "auto"): Input {
  return { source, backend, ...(precision === "auto" ? {} : { precision }) };
}

/** Why this machine uses wasm, where it does: said to who wants WebGPU, or a model that is slow without it. */
function WebGpuLine() {
  const missing = useApp(({ device }) => device.survey?.webgpuMissing);
  return (
    missing && (
      <Text as="p" tone="soft" size="s">
        WebGPU is not available here ({missing.reason}), so models run on wasm. {missing.next}
      </Text>
    )
  );
}

const FIRST: { readonly [K in ModelSource["kind"]]: ModelSource } = {
  bundled: { kind: "bundled" },
  hub: { kind: "hub", repo: "", revision: "main" },
  files: { kind: "files", name: "" },
};

const ORIGINS = [
  { value: "bundled", label: "The bundled model" },
  { value: "hub", label: "From Hugging Face" },
  { value: "files", label: "Files of your own" },
] as const;

const PRECISIONS = [
  { value: "auto", label: "Usual precision", note: "q8 from 0.3 billion weights on, f32 below" },
  { value: "f32", label: "f32", note: "4 bytes a weight, exact" },
  { value: "f16", label: "f16", note: "2 bytes a weight, where the device has float16" },
  { value: "q8", label: "q8", note: "1.1 bytes a weight, hardly a difference" },
  { value: "q4", label: "q4", note: "0.6 bytes a weight, for what does not fit otherwise" },
] as const;

const BACKENDS = [
  { value: "auto", label: "Best backend", note: "WebGPU where there is one, else wasm" },
  { value: "webgpu", label: "WebGPU", note: "The graphics processor" },
  { value: "wasm", label: "wasm", note: "The processor; works everywhere" },
] as const;
