/** @file The files of a model, wherever it comes from, and what is known of it before its weights are read. */

import { describeModel, precisionSizes } from "../../engine/describe.ts";
import type { Hub, HubModel } from "../../hub/hub.ts";
import { present } from "../../lib/assert.ts";
import type { FileProgress, ModelFile, ModelListing } from "../../records/model.ts";
import type { OpenModel } from "../../rpc/protocol.ts";
import type { Survey } from "../../runtime/capabilities.ts";
import { blobModelFiles, readJson, type ModelFiles } from "../../weights/modelFiles.ts";
import type { EngineHost } from "../engineHost.ts";
import type { LoadCall } from "./load.ts";

type Origin = Omit<OpenModel, "backend">;

/** The files of a bundled or dropped model. @throws when the dropped files were not handed over (again) */
function localFiles(host: Pick<EngineHost, "bundled">, { source, files }: Origin): ModelFiles {
  if (source.kind === "bundled") return host.bundled();
  const name = source.kind === "files" ? source.name : source.repo;
  return blobModelFiles(
    name,
    present(files, () => `engine: the files of "${name}" are not here; drop the folder again`),
  );
}

/** Names, sizes and fit of `origin`; reads config.json and no weights. */
export async function inspectModel(host: EngineHost, origin: Origin): Promise<ModelListing> {
  const { source, token } = origin;
  if (source.kind === "hub") {
    const model = { ...source, ...(token ? { token } : {}) };
    const files = await host.hub.files(model);
    return listing(origin, files, await host.hub.config(model), await host.survey());
  }
  const files = localFiles(host, origin);
  const listed = await fileSizes(files);
  return listing(origin, listed, await configOf(files), await host.survey());
}

const configOf = async (files: ModelFiles): Promise<unknown> =>
  present(
    await readJson(files, "config.json"),
    () => `engine: ${files.name} has no config.json; choose a folder in Hugging Face layout`,
  );

/**
 * The parsed config.json of a model, before anything else of it is fetched.
 * @throws where it names a model that no precision and no device can open
 */
export async function modelConfig(
  host: Pick<EngineHost, "bundled" | "hub">,
  origin: Origin,
): Promise<unknown> {
  const { source, token } = origin;
  const config =
    source.kind === "hub"
      ? await host.hub.config({ ...source, ...(token ? { token } : {}) })
      : await configOf(localFiles(host, origin));
  describeModel(config);
  return config;
}

/** A listing from what the files and the config say. */
function listing(
  { source }: Origin,
  files: readonly ModelFile[],
  config: unknown,
  survey: Survey,
): ModelListing {
  const description = describeModel(config);
  const { architecture, parameters } = description;
  const precisions = precisionSizes(
    description,
    [survey.webgpu, survey.wasm].flatMap((capabilities) => capabilities ?? []),
  );
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return { source, files, bytes, architecture, parameters, precisions };
}

/** Sizes of all files that `files` names; what lies here already counts as cached. */
async function fileSizes(files: ModelFiles): Promise<ModelFile[]> {
  return Promise.all(
    files.names.map(async (name) => {
      const source = present(await files.open(name), () => `engine: ${files.name} has no ${name}`);
      await source.close();
      return { name, bytes: source.size, cached: source.size };
    }),
  );
}

/** The files to load from, everything downloaded that has to be, and their listing. */
export async function modelFiles(
  host: Pick<EngineHost, "bundled" | "hub">,
  origin: Origin,
  call: LoadCall,
): Promise<{ files: ModelFiles; listed: readonly ModelFile[] }> {
  const { source, token } = origin;
  if (source.kind !== "hub") {
    const files = localFiles(host, origin);
    return { files, listed: await fileSizes(files) };
  }
  const model = { ...source, ...(token ? { token } : {}) };
  const files = await downloaded(host.hub, model, call);
  return { files, listed: await fileSizes(files) };
}

/** The files of a model of the Hub, everything downloaded that has to be. */
export function downloaded(hub: Hub, model: HubModel, { signal, onProgress }: LoadCall): Promise<ModelFiles> {
  const download = (files: readonly FileProgress[]): void => {
    const sum = (of: (file: FileProgress) => number) => files.reduce((total, file) => total + of(file), 0);
    onProgress?.({
      stage: "download",
      done: sum(({ done }) => done),
      total: sum(({ total }) => total),
      files,
    });
  };
  return hub.download(model, { onProgress: download, ...(signal ? { signal } : {}) });
}
