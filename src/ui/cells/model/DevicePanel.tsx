/** @file The device card: backend and limits, result of the self-test, and memory in use. */

import { useEffect } from "react";
import type { BufferLedger, DeviceCard, ModelReady, CopyReport } from "../../../records/model.ts";
import { DEVICE_BYTES, precisionOf } from "../../../records/memory.ts";
import { useActions, useApp } from "../../app.tsx";
import { Notice, CopyButton, Badge, Stack, Pairs, Note, Soft } from "../../controls/basics.tsx";
import { useAsync } from "../../controls/useAsync.tsx";
import { bytes, count, duration, counted } from "../../format.ts";
import { Disclosure } from "../../controls/Dialog.tsx";
import s from "./DevicePanel.module.css";
import m from "./ModelCell.module.css";

export function DevicePanel() {
  const { model, ledger, survey } = useApp(({ device }) => device);
  const { refreshLedger } = useActions();
  useEffect(() => void refreshLedger().catch(() => undefined), [refreshLedger]);
  if (!model) return <p>No model is open. {survey && (survey.webgpu ?? "This browser offers wasm.")}</p>;
  return (
    <>
      <DeviceCardView device={model.device} ledger={ledger ?? model.ledger} decoding={model.decoding} />
      <Measured />
    </>
  );
}

/** The total, because the ledger counts no wasm heap, copies of weights or page memory. */
function Measured() {
  const measured = useAsync(async () => performance.measureUserAgentSpecificMemory?.() ?? null, []);
  return measured.status === "failed" || (measured.status === "there" && !measured.value) ? null : (
    <Note above={3}>
      {measured.value
        ? `This page and its workers take ${bytes(measured.value.bytes)} together, as the browser measures it.`
        : "The browser measures what this page and its workers take together."}
    </Note>
  );
}

interface CardProps {
  readonly device: DeviceCard;
  readonly ledger: BufferLedger | null;
  readonly decoding: ModelReady["decoding"];
}

function DeviceCardView(card: CardProps) {
  const { device, ledger } = card;
  const { webgpuMissing } = device;
  return (
    <Stack gap={4} justify="start">
      <Pairs className={s.rows} of={cardRows(card)} />
      {ledger && (
        <>
          <h3 className={s.heading}>Weights and buffers that were placed</h3>
          <Pairs className={s.rows} of={ledgerRows(ledger)} />
        </>
      )}
      {webgpuMissing && (
        <Notice tone="ochre" title="WebGPU is not used">
          {sentence(webgpuMissing.reason)} {webgpuMissing.next}
        </Notice>
      )}
      <CopyButton label="Copy report" text={() => deviceReport(card)} />
    </Stack>
  );
}

type TextRow = readonly [term: string, value: string];

function cardRows({ device, decoding }: CardProps): readonly TextRow[] {
  const { selfTest, threads, crossOriginIsolated } = device;
  return [
    ["Backend", BACKENDS[device.backend]],
    ["Adapter", device.description],
    ["Runtime", device.runtime],
    ["Self-test", `${selfTest.verdict}: ${selfTestText(selfTest)}, ${duration(selfTest.milliseconds)}`],
    ["Decoding", sentence(decoding)],
    ["Half precision", halfPrecisionText(device)],
    ["Threads", `${threads}${crossOriginIsolated || threads > 1 ? "" : ONE_THREAD}`],
    ...limitRows(device.limits),
  ];
}

const ONE_THREAD = " (the page is not cross-origin isolated)";

const ledgerRows = (ledger: BufferLedger): readonly TextRow[] => [
  ...Object.entries(ledger.bytes).map(([purpose, held]): TextRow => {
    const most = purpose === "vectors" ? ` of at most ${bytes(DEVICE_BYTES)} for a memory that is asked` : "";
    return [purpose, `${bytes(held)}${most}`];
  }),
  ["Together", `${bytes(ledger.total)}, ${bytes(ledger.peak)} at most`],
];

const sentence = (reason: string): string =>
  `${reason.charAt(0).toUpperCase()}${reason.slice(1).replace(/\.$/, "")}.`;

const BACKENDS = { cpu: "CPU", wasm: "wasm (CPU)", webgpu: "WebGPU" } as const;
const VERDICT_TONES = { pass: "verdigris", degraded: "ochre", wrong: "rubric" } as const;

export const selfTestText = ({ summary, verdict }: DeviceCard["selfTest"]): string =>
  summary.startsWith(`${verdict}: `) ? summary.slice(verdict.length + 2) : summary;

export function halfPrecisionText({ f16, backend }: Pick<DeviceCard, "f16" | "backend">): string {
  if (!f16) return "no";
  return backend === "webgpu" ? "yes (shader-f16)" : "yes";
}

export const limitRows = (limits: DeviceCard["limits"]): readonly TextRow[] =>
  Object.entries(limits).flatMap(([name, value]) =>
    name === "crossOriginIsolated"
      ? []
      : [[LIMITS[name] ?? name, /size|bytes|memory/i.test(name) ? bytes(value) : count(value)] as const],
  );

const LIMITS: Readonly<Record<string, string>> = {
  maxBufferSize: "Largest buffer",
  maxStorageBufferBindingSize: "Largest binding",
  memory: "Largest heap",
};

function deviceReport(card: CardProps): string {
  const { ledger } = card;
  const { webgpuMissing } = card.device;
  const rows: readonly TextRow[] = [
    ...cardRows(card),
    ...(ledger ? ledgerRows(ledger) : []),
    ...(webgpuMissing ? [["WebGPU not used", webgpuMissing.reason] as const] : []),
    ["Browser", navigator.userAgent],
  ];
  return rows.map(([term, value]) => `${term}: ${value}\n`).join("");
}

export function ModelOutput({ output }: { readonly output: ModelReady }) {
  const { identity, device, files, ledger, milliseconds, copy, decoding } = output;
  const size = files.reduce((sum, file) => sum + file.bytes, 0);
  return (
    <div className={m.output}>
      <p className="remembered">
        <strong>{identity.name}</strong>, {counted(identity.layers, "layer")} of width{" "}
        {count(identity.dModel)} in {precisionOf(identity)}, reads {counted(identity.window, "token")} at once
        {size > 0 && `, ${bytes(size).replace(" ", "\u00a0")}`}. Ready in {duration(milliseconds)} on{" "}
        {device.description}.
      </p>
      {copy && <Soft>{copyLine(copy, precisionOf(identity))}</Soft>}
      <Disclosure
        summary="Device card"
        aside={
          <Badge tone={VERDICT_TONES[device.selfTest.verdict]}>
            {device.backend}, self-test {device.selfTest.verdict}
          </Badge>
        }
      >
        <DeviceCardView device={device} ledger={ledger} decoding={decoding} />
      </Disclosure>
    </div>
  );
}

export function copyLine({ from, bytes: size, problem }: CopyReport, precision: string): string {
  if (problem !== null)
    return `No copy in ${precision} is kept (${problem}): the next start reads and rounds the files again.`;
  if (from === "copy") return `Read from the copy in ${precision} that this browser keeps, ${bytes(size)}.`;
  const why = from === "files" ? "" : "The copy that was here was damaged. ";
  return `${why}A copy in ${precision} is kept, ${bytes(size)}: the next start reads that alone.`;
}
