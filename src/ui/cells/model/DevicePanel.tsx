/** @file The device card: what the model runs on, how the self-test went, and what the device holds. */

import { useEffect } from "react";
import type { BufferLedger, DeviceCard, ModelReady } from "../../../records/model.ts";
import { DEVICE_BYTES } from "../../../records/memory.ts";
import { useActions, useApp } from "../../app.tsx";
import { Badge, Notice } from "../../controls/Badge.tsx";
import { CopyButton } from "../../controls/Button.tsx";
import { useAsync } from "../../controls/useAsync.ts";
import { bytes, count, duration } from "../../format.ts";
import { Grid, Stack, Text } from "../../controls/layout.tsx";
import s from "./DevicePanel.module.css";

/** In the drawer: the device of the model that is open now. */
export function DevicePanel() {
  const { model, ledger, survey } = useApp(({ device }) => device);
  const { refreshLedger } = useActions();
  useEffect(() => {
    void refreshLedger().catch(() => undefined);
  }, [refreshLedger]);
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
  if (measured.status === "failed" || (measured.status === "there" && !measured.value)) return null;
  return (
    <Text as="p" tone="soft" size="s" above={3}>
      {measured.value
        ? `This page and its workers take ${bytes(measured.value.bytes)} together, as the browser measures it.`
        : "The browser measures what this page and its workers take together."}
    </Text>
  );
}

export function DeviceCardView({
  device,
  ledger,
  decoding,
}: {
  readonly device: DeviceCard;
  readonly ledger: BufferLedger | null;
  readonly decoding: ModelReady["decoding"];
}) {
  const { selfTest, webgpuMissing } = device;
  return (
    <Stack gap={4} justify="start">
      <dl style={{ width: "100%" }}>
        <Row term="Backend">{BACKENDS[device.backend]}</Row>
        <Row term="Adapter">{device.description}</Row>
        <Row term="Runtime">{device.runtime}</Row>
        <Row term="Self-test">
          <Badge tone={VERDICT_TONES[selfTest.verdict]}>{selfTest.verdict}</Badge> {selfTestText(selfTest)}{" "}
          <span className="num">{duration(selfTest.milliseconds)}</span>
        </Row>
        <Row term="Decoding">{sentence(decoding)}</Row>
        <Row term="Half precision">{halfPrecisionText(device)}</Row>
        <Row term="Threads">
          <span className="num">{device.threads}</span>
          {!device.crossOriginIsolated && " (the page is not cross-origin isolated: one thread only)"}
        </Row>
        {limitRows(device.limits).map(([term, value]) => (
          <Row key={term} term={term}>
            <span className="num">{value}</span>
          </Row>
        ))}
      </dl>
      {ledger && (
        <>
          <h3 className={s.heading}>Weights and buffers that were placed</h3>
          <dl style={{ width: "100%" }}>
            {Object.entries(ledger.bytes).map(([purpose, held]) => (
              <Row key={purpose} term={purpose}>
                <span className="num">{bytes(held)}</span>
                {purpose === "vectors" && ` of at most ${bytes(DEVICE_BYTES)} for a memory that is asked`}
              </Row>
            ))}
            <Row term="Together">
              <span className="num">
                {bytes(ledger.total)}, {bytes(ledger.peak)} at most
              </span>
            </Row>
          </dl>
        </>
      )}
      {webgpuMissing && (
        <Notice tone="ochre" title="WebGPU is not used">
          {sentence(webgpuMissing.reason)} {webgpuMissing.next}
        </Notice>
      )}
      <CopyButton label="Copy report" text={() => deviceReport(device, ledger, decoding)} />
    </Stack>
  );
}

function Row({ term, children }: { readonly term: string; readonly children: React.ReactNode }) {
  return (
    <Grid gap={3} columns="8.5rem 1fr" className={s.row}>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </Grid>
  );
}

/** A reason in a few words, or an error's own message. */
const sentence = (reason: string): string =>
  `${reason.charAt(0).toUpperCase()}${reason.slice(1).replace(/\.$/, "")}.`;

const BACKENDS = { cpu: "CPU", wasm: "wasm (CPU)", webgpu: "WebGPU" } as const;
/** The colour of a self-test's verdict. */
export const VERDICT_TONES = { pass: "verdigris", degraded: "ochre", wrong: "rubric" } as const;

/** The findings of the self-test, next to its verdict. */
export const selfTestText = ({ summary, verdict }: DeviceCard["selfTest"]): string =>
  summary.startsWith(`${verdict}: `) ? summary.slice(verdict.length + 2) : summary;

/** Whether the device computes with 16-bit floats, and how; a CPU has no shaders. */
export function halfPrecisionText({ f16, backend }: Pick<DeviceCard, "f16" | "backend">): string {
  if (!f16) return "no";
  return backend === "webgpu" ? "yes (shader-f16)" : "yes";
}

/** The limits of a device by their names; the row of threads also shows cross-origin isolation. */
export const limitRows = (
  limits: DeviceCard["limits"],
): readonly (readonly [term: string, value: string])[] =>
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

/** One fact per line; nothing in it names the user. */
function deviceReport(
  device: DeviceCard,
  ledger: BufferLedger | null,
  decoding: ModelReady["decoding"],
): string {
  const { selfTest, webgpuMissing } = device;
  const lines = [
    `backend: ${device.backend}`,
    `adapter: ${device.description}`,
    `runtime: ${device.runtime}`,
    `self-test: ${selfTest.verdict} (${selfTestText(selfTest)})`,
    `decoding: ${decoding}`,
    `half precision: ${halfPrecisionText(device)}`,
    `threads: ${device.threads}`,
    `cross-origin isolated: ${device.crossOriginIsolated ? "yes" : "no"}`,
    ...Object.entries(device.limits).map(([name, value]) => `${name}: ${value}`),
    ...(ledger ? [`held: ${bytes(ledger.total)}, peak ${bytes(ledger.peak)}`] : []),
    ...(webgpuMissing ? [`WebGPU not used: ${webgpuMissing.reason}`] : []),
    `browser: ${navigator.userAgent}`,
  ];
  return `${lines.join("\n")}\n`;
}
