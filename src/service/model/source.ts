/** @file The files of a model: bundled, dropped, or downloaded from the Hub; and its description from config.json. */

import { describeModel, precisionSizes } from "../../engine/describe.ts";
import type { Hub, HubModel } from "../../hub/hub.ts";
import { present, messageOf } from "../../lib/assert.ts";
import type { FileProgress, ModelFile, ModelListing, DeviceCard } from "../../records/model.ts";
import type { OpenModel, EngineHost, LoadCall } from "../types.ts";
import { blobModelFiles, readJson, type ModelFiles } from "../../weights/modelFiles.ts";
import { formOn } from "../../engine/loadWeights.ts";
import { precisionTest, selfTest, withShortcuts, type SelfTestReport } from "../../engine/selftest.ts";
import type { Precision } from "../../lib/precision.ts";
import type { BackendChoice } from "../../records/notebook.ts";
import type { Survey } from "../../runtime/capabilities.ts";
import type { Device } from "../../runtime/device.ts";
import { WebGpuUnavailable } from "../../runtime/gpu.ts";

type Source = Omit<OpenModel, "backend">;
type FilesHost = Pick<EngineHost, "bundled" | "hub">;

export type FetchedModel = Awaited<ReturnType<typeof modelFiles>>;

/** Names, sizes and preflight of a model. Reads config.json and no weights. */
export async function inspectModel(host: EngineHost, source: Source): Promise<ModelListing> {
  const hub = hubModel(source);
  const files = hub ? await host.hub.files(hub) : await fileSizes(localFiles(host, source));
  const description = describeModel(await readConfig(host, source));
  const { architecture, parameters } = description;
  const { webgpu, wasm } = await host.survey();
  const precisions = precisionSizes(description, webgpu ? [webgpu, wasm] : [wasm]);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return { source: source.source, files, bytes, architecture, parameters, precisions };
}

/** The parsed config.json. @throws if no precision and no device can open the model */
export async function modelConfig(host: FilesHost, source: Source): Promise<unknown> {
  const config = await readConfig(host, source);
  describeModel(config);
  return config;
}

export async function modelFiles(host: FilesHost, source: Source, call: LoadCall) {
  const hub = hubModel(source);
  const files = hub ? await downloadModel(host.hub, hub, call) : localFiles(host, source);
  return { files, listed: await fileSizes(files) };
}

export function downloadModel(
  hub: Hub,
  model: HubModel,
  { signal, onProgress }: LoadCall,
): Promise<ModelFiles> {
  const download = (files: readonly FileProgress[]): void => {
    const sum = (of: (file: FileProgress) => number) => files.reduce((total, file) => total + of(file), 0);
    onProgress?.({
      stage: "download",
      done: sum(({ done }) => done),
      total: sum(({ total }) => total),
      files,
    });
  };
  return hub.download(model, { onProgress: download, signal });
}

/** Files that the user dropped. @throws if the page no longer has them */
export const droppedFiles = (
  name: string,
  files: ReadonlyMap<string, Blob> | undefined,
  what = `"${name}"`,
): ModelFiles =>
  blobModelFiles(
    name,
    present(files, () => `engine: the files of ${what} are not available; drop the folder again`),
  );

const hubModel = ({ source, token }: Source): HubModel | undefined =>
  source.kind === "hub" ? { ...source, ...(token ? { token } : {}) } : undefined;

function localFiles(host: Pick<EngineHost, "bundled">, { source, files }: Source): ModelFiles {
  if (source.kind === "bundled") return host.bundled();
  return droppedFiles(source.kind === "files" ? source.name : source.repo, files);
}

async function readConfig(host: FilesHost, source: Source): Promise<unknown> {
  const hub = hubModel(source);
  if (hub) return host.hub.config(hub);
  const files = localFiles(host, source);
  return present(
    await readJson(files, "config.json"),
    () => `engine: ${files.name} has no config.json; choose a folder in Hugging Face layout`,
  );
}

/** Local files count as cached. */
const fileSizes = async (files: ModelFiles): Promise<ModelFile[]> =>
  Promise.all(
    files.names.map(async (name) => {
      const source = present(await files.open(name), () => `engine: ${files.name} has no ${name}`);
      await source.close();
      return { name, bytes: source.size, cached: source.size };
    }),
  );

type Backend = "webgpu" | "wasm";

/** Why WebGPU is not used, and what the user can do about it. */
export type WebGpuMissing = NonNullable<DeviceCard["webgpuMissing"]>;

export interface TestedDevice {
  readonly device: Device;
  readonly card: DeviceCard;
  /** Whether encoding steps of the tested model may be recorded, if the device records any. */
  readonly recordsSteps: boolean;
}

interface WantedModel {
  readonly config: unknown;
  readonly precision?: Precision;
}

/** @param missing why "auto" does not try WebGPU @throws if no allowed backend supports the precision and is correct */
export async function openBackend(
  host: Pick<EngineHost, "survey" | "openDevice">,
  choice: BackendChoice,
  model: WantedModel,
  { onProgress }: LoadCall = {},
  missing?: WebGpuMissing,
): Promise<TestedDevice> {
  onProgress?.({ stage: "self-test", done: 0, total: 1 });
  const survey = await host.survey();
  const why = (choice === "auto" ? missing : undefined) ?? survey.webgpuMissing;
  const open = (backend: Backend, instead: WebGpuMissing | null): Promise<TestedDevice> =>
    openTested(host, backend, model, survey, instead);
  if (choice === "webgpu" && !survey.webgpu) {
    const { reason = "no adapter", next = "" } = why ?? {};
    throw new Error(`engine: WebGPU is not available (${reason}). ${next}`.trim());
  }
  const tested =
    choice === "wasm" || (choice === "auto" && why)
      ? await open("wasm", why ?? null)
      : await open("webgpu", null).catch((error: unknown) => {
          if (choice === "webgpu") throw error;
          return open("wasm", reasonOf(error));
        });
  onProgress?.({ stage: "self-test", done: 1, total: 1 });
  return tested;
}

function reasonOf(error: unknown): WebGpuMissing {
  if (error instanceof WebGpuUnavailable) return { reason: error.reason, next: error.next };
  return {
    reason: messageOf(error),
    next: "Update the browser and the graphics driver; until then wasm is used.",
  };
}

async function openTested(
  host: Pick<EngineHost, "openDevice">,
  backend: Backend,
  model: WantedModel,
  { wasm }: Survey,
  webgpuMissing: WebGpuMissing | null,
): Promise<TestedDevice> {
  const opened = await host.openDevice(backend);
  try {
    const { precision, expanded } = formOn(opened, model.config, model);
    const plain = await selfTest(opened);
    assertRight(
      plain,
      `on ${backend}`,
      backend === "webgpu"
        ? "so it is not used. Choose auto or wasm, or update the browser and the graphics driver."
        : "so it is not used. Update the browser, or try another one.",
    );
    const device = withShortcuts(opened, plain.shortcuts);
    // The precision in which graphs read the model's matrices.
    const rounded = expanded || precision === "f32" ? null : await precisionTest(device, precision);
    const other =
      "so the model is not used there. Choose another precision or backend, or update the browser and the graphics driver.";
    if (rounded) assertRight(rounded, `in ${precision} on ${backend}`, other);
    const card: DeviceCard = {
      ...device.capabilities,
      crossOriginIsolated: wasm.limits["crossOriginIsolated"] === 1,
      webgpuMissing,
      selfTest: {
        verdict: rounded && rounded.verdict !== "pass" ? rounded.verdict : plain.verdict,
        summary: rounded ? `${plain.summary}; in ${precision} ${rounded.summary}` : plain.summary,
        milliseconds: plain.milliseconds + (rounded?.milliseconds ?? 0),
      },
    };
    return { device, card, recordsSteps: rounded?.recording ?? true };
  } catch (error) {
    await opened.dispose();
    throw error;
  }
}

function assertRight(
  { verdict, summary }: Pick<SelfTestReport, "verdict" | "summary">,
  where: string,
  next: string,
): void {
  if (verdict === "wrong")
    throw new Error(`engine: the self-test found wrong results ${where} (${summary}), ${next}`);
}
