/** @file The model cell: which frozen model, what it takes, how it is coming, and what it runs on. */

import { lazy, Suspense } from "react";
import type { Precision } from "../../../lib/precision.ts";
import type { ModelSource } from "../../../records/model.ts";
import type { BackendChoice } from "../../../records/notebook.ts";
import { isGoing } from "../../../state/going.ts";
import { useActions, useApp, useCanWrite, useRun, type CellProps } from "../../app.tsx";
import { Choice } from "../../controls/Choice.tsx";
import { Select } from "../../controls/Select.tsx";
import { FilesSource } from "./FilesSource.tsx";
import { Inspection } from "./Inspection.tsx";
import { LoadView } from "./LoadView.tsx";
import { ModelOutput } from "./ModelOutput.tsx";
import s from "./ModelCell.module.css";

const HubSource = lazy(() => import("./HubSource.tsx").then((module) => ({ default: module.HubSource })));

export function ModelCell({ cell }: CellProps<"model">) {
  const { setInput } = useActions();
  const canWrite = useCanWrite();
  const run = useRun(cell.id);
  const { source, backend, precision } = cell.input;
  const going = isGoing(run);
  const disabled = !canWrite || going;
  const setSource = (next: ModelSource): void =>
    setInput(cell.id, "model", (input) => ({ ...input, source: next }));
  const setBackend = (next: BackendChoice): void =>
    setInput(cell.id, "model", (input) => ({ ...input, backend: next }));
  const setPrecision = (next: Precision | "auto"): void =>
    setInput(cell.id, "model", (input) => ({
      source: input.source,
      backend: input.backend,
      ...(next === "auto" ? {} : { precision: next }),
    }));
  return (
    <div className={s.model}>
      <div className={s.choices}>
        <Choice
          label="Where the model comes from"
          value={source.kind}
          disabled={disabled}
          onChange={(kind) => {
            if (kind !== source.kind) setSource(FIRST[kind]);
          }}
          options={[
            { value: "bundled", label: "The bundled model" },
            { value: "hub", label: "From Hugging Face" },
            { value: "files", label: "Files of your own" },
          ]}
        />
        <Select
          label="Precision"
          hideLabel
          value={precision ?? "auto"}
          disabled={disabled}
          onChange={setPrecision}
          className={s.backend ?? ""}
          options={[
            { value: "auto", label: "Usual precision", note: "q8 from 0.3 billion weights on, f32 below" },
            { value: "f32", label: "f32", note: "4 bytes a weight, exact" },
            { value: "f16", label: "f16", note: "2 bytes a weight, where the device has float16" },
            { value: "q8", label: "q8", note: "1.1 bytes a weight, hardly a difference" },
            { value: "q4", label: "q4", note: "0.6 bytes a weight, for what does not fit otherwise" },
          ]}
        />
        <Select
          label="Backend"
          hideLabel
          value={backend}
          disabled={disabled}
          onChange={setBackend}
          className={s.backend ?? ""}
          options={[
            { value: "auto", label: "Best backend", note: "WebGPU where there is one, else wasm" },
            { value: "webgpu", label: "WebGPU", note: "The graphics processor" },
            { value: "wasm", label: "wasm", note: "The processor; works everywhere" },
          ]}
        />
      </div>
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
    </div>
  );
}

/** Why this machine uses wasm, where it does: said to who wants WebGPU, or a model that is slow without it. */
function WebGpuLine() {
  const missing = useApp(({ device }) => device.survey?.webgpuMissing);
  return (
    missing && (
      <p className={s.missing}>
        WebGPU is not available here ({missing.reason}), so models run on wasm. {missing.next}
      </p>
    )
  );
}

const FIRST: { readonly [K in ModelSource["kind"]]: ModelSource } = {
  bundled: { kind: "bundled" },
  hub: { kind: "hub", repo: "", revision: "main" },
  files: { kind: "files", name: "" },
};
