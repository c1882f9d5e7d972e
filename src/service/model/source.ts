/** @file The files of a model: bundled, dropped, or downloaded from the Hub; and its description from config.json. */

import { describeModel, precisionSizes } from "../../engine/describe.ts";
import type { Hub, HubModel } from "../../hub/hub.ts";
import { present } from "../../lib/assert.ts";
import type { FileProgress, ModelFile, ModelListing } from "../../records/model.ts";
import type { OpenModel, EngineHost, LoadCall } from "../types.ts";
import { blobModelFiles, readJson, type ModelFiles } from "../../weights/modelFiles.ts";

type Source = Omit<OpenModel, "backend">;
type FilesHost = Pick<EngineHost, "bundled" | "hub">;

export interface FetchedModel {
  readonly files: ModelFiles;
  readonly listed: readonly ModelFile[];
}

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

export async function modelFiles(host: FilesHost, source: Source, call: LoadCall): Promise<FetchedModel> {
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
async function fileSizes(files: ModelFiles): Promise<ModelFile[]> {
  return Promise.all(
    files.names.map(async (name) => {
      const source = present(await files.open(name), () => `engine: ${files.name} has no ${name}`);
      await source.close();
      return { name, bytes: source.size, cached: source.size };
    }),
  );
}
