/** @file The engine on a device of this thread: it composes loading, text, decoding, encoding and embeddings, and checks parts. */

import * as v from "valibot";
import type { ModelIdentity } from "../records/memory.ts";
import { recordedProbe, type RecordedProbe } from "../records/plan.ts";
import type { Device } from "../runtime/device.ts";
import { messageOf } from "../lib/assert.ts";
import { readJson, type ModelFiles } from "../weights/modelFiles.ts";
import { meanPooledEmbedder } from "./embed.ts";
import { openEncoder } from "./encoder.ts";
import type { Engine, CheckedPart, PartToCheck, Teaching, WriterAbout } from "./engine.ts";
import { checkWindow, generate, readKeys, recall, checkInjection, columnsBefore } from "./greedy.ts";
import { lens, readActivations, readStates } from "./inspect.ts";
import { openLayer } from "./layerMemory.ts";
import { loadWeights, type LoadedWeights, type LoadOptions } from "./loadWeights.ts";
import { Programs } from "./programs.ts";
import { openReader, readEach, readSpan } from "./reader.ts";
import { Runner, disposeAll, fillRows, numbers, padRight } from "./runner.ts";
import { openText, type Guard } from "./text.ts";
import { openTeaching } from "./teaching.ts";
import { openWriter, write } from "./writer.ts";
import { groupBy } from "../lib/group.ts";
import { check, partRuns } from "./roles.ts";

/** Columns that prefixes are rounded up to: most have 9 to 16 tokens, and each column costs a tenth of the prefix. */
const COLUMNS = 4;

/** {@link Engine.check}. @throws for a part that does not fit the model or its window */
export async function checkParts(
  runner: Runner,
  parts: readonly PartToCheck[],
  signal?: AbortSignal,
): Promise<CheckedPart[]> {
  for (const { prompt, injection, targets } of parts) {
    checkInjection(runner, injection);
    checkWindow(runner, prompt.ids.length + targets.length, "a fact with its recall prompt");
  }
  const found = new Array<CheckedPart>(parts.length);
  const order = [...parts.keys()].sort((a, b) => parts[a]!.targets.length - parts[b]!.targets.length);
  const alike = groupBy(order, (i) => {
    const { ids, keyPosition } = parts[i]!.prompt;
    const { opening, columns } = columnsOf(runner, parts[i]!);
    return `${opening} ${columns} ${ids.length - keyPosition}`;
  });
  for (const indices of alike.values()) {
    const longest = parts[indices.at(-1)!]!.targets.length;
    for (const { rows, members } of partRuns(indices, runner.logitRows / longest)) {
      const checked = await run(
        runner,
        members.map((i) => parts[i]!),
        rows,
        signal,
      );
      for (const [row, i] of members.entries()) found[i] = checked[row]!;
    }
  }
  return found;
}

const columnsOf = (runner: Runner, { prompt, targets }: PartToCheck) =>
  columnsBefore(runner, { ...prompt, tokens: targets.length }, COLUMNS);

async function run(
  runner: Runner,
  parts: readonly PartToCheck[],
  batch: number,
  signal: AbortSignal | undefined,
): Promise<CheckedPart[]> {
  const rows = fillRows(parts, batch);
  const { opening, columns } = columnsOf(runner, parts[0]!);
  const length = rows.map(({ prompt, targets }) => prompt.ids.length + targets.length);
  const prompts = rows.map(({ prompt }) => prompt);
  const { cache, pads } = await runner.readPrefixes(prompts, { columns, length, opening, signal });
  const said = rows.map(({ prompt: { ids, keyPosition }, targets }) => [
    ...ids.slice(keyPosition),
    ...targets.slice(0, -1),
  ]);
  const time = Math.max(...said.map((ids) => ids.length));
  const window = said.map((ids) => padRight(ids, time));
  const feeds = {
    ...cache,
    ...runner.tokens(window, { pads, past: columns, opening, length }),
    ...runner.injections(
      rows.map(({ injection }) => injection),
      time,
    ),
  };
  const outputs = await runner.run(check(batch), feeds, signal);
  const [next, margin] = [await numbers(outputs["next"]!), await numbers(outputs["margin"]!)];
  const address = (await outputs["activation"]!.read()) as Float32Array;
  disposeAll(outputs);
  const { dFf } = runner.config;
  return parts.map(({ prompt: { ids, keyPosition }, targets }, row) => {
    const first = row * time + ids.length - keyPosition - 1;
    const leads = targets.map((id, t) => (next[first + t] === id ? margin[first + t]! : 0));
    const activation = address.slice(row * dFf, (row + 1) * dFf);
    return { reading: { activation }, margin: Math.min(...leads) };
  });
}

export interface EngineOptions extends LoadOptions {
  readonly guard?: Guard;
  /** A folder with a reader, instead of one in the model's folder: it reads for any model, which opens without it if it cannot be read. */
  readonly reader?: ModelFiles | undefined;
}

export interface LocalEngine extends Engine {
  readonly runner: Runner;
  readonly copy: LoadedWeights["copy"];
  openTeaching(from: WriterAbout | Uint8Array, longest: number): Teaching;
  readonly decoding: string;
}

/** Loads a model folder onto `device`. Rejects with a clear error and frees everything when anything is wrong. */
export async function openEngine(
  device: Device,
  files: ModelFiles,
  options: EngineOptions = {},
): Promise<LocalEngine> {
  const loaded = await loadWeights(device, files, options);
  const programs = new Programs(device, loaded.decoder, loaded.weights);
  try {
    return await assemble(device, files, loaded, programs, options);
  } catch (error) {
    await programs.dispose();
    throw error;
  }
}

async function assemble(
  device: Device,
  files: ModelFiles,
  loaded: LoadedWeights,
  programs: Programs,
  { guard, reader: readerFiles = files }: EngineOptions,
): Promise<LocalEngine> {
  const runner = new Runner(programs);
  const text = await openText(files, loaded.decoder.config, guard);
  const recorded = await readRecordedProbe(files);
  const model = identity(files.name, loaded);
  const writer = await openWriter(runner, files, model);
  const opened = openReader(runner, readerFiles);
  const reader = await (readerFiles === files ? opened : opened.catch(warned));
  const networks = { ...(writer && { writer: writer.file }), ...(reader && { reader: reader.about.file }) };
  const embedder = meanPooledEmbedder(runner, text.encode);
  return {
    runner,
    copy: loaded.copy,
    get decoding() {
      return programs.decoding;
    },
    model: { ...model, ...networks },
    capabilities: device.capabilities,
    embedder: embedder.name,
    embedderIdentity: embedder.identity,
    get denseFloor() {
      return embedder.denseFloor;
    },
    encodeTokens: runner.logitRows,
    recorded,
    writer,
    reader: reader?.about ?? null,
    encode: text.encode,
    decode: text.decode,
    chat: text.chat,
    async generate(turns, { maxTokens, onText }, signal) {
      const prompts = turns.map((turn) => text.chat(turn));
      for (const prompt of prompts) checkWindow(runner, prompt.length + 1, "the prompt");
      const onTokens = onText && ((ids: readonly number[]) => onText(text.decode(ids)));
      const options = { maxTokens, endTokens: text.endTokens, onTokens, signal };
      const replies = await generate(runner, prompts, options);
      return replies.map((ids) => text.decode(ids).trim());
    },
    embed: (...call) => embedder.embed(...call),
    embedQuestion: (...call) => embedder.embedQuestion(...call),
    readKeys: (...call) => readKeys(runner, ...call),
    readActivations: (...call) => readActivations(runner, ...call),
    readStates: (...call) => readStates(runner, ...call),
    openTeaching: (...call) => openTeaching(runner, model, ...call),
    write: (...call) => write(runner, writer, ...call),
    check: (...call) => checkParts(runner, ...call),
    readSpan: (...call) => readSpan(runner, reader, ...call),
    readEach: (...call) => readEach(runner, reader, ...call),
    lens: (...call) => lens(runner, ...call),
    recall: (...call) => recall(runner, ...call),
    openLayer: (...vectors) => openLayer(runner, ...vectors),
    openEncoder: (...call) => openEncoder(runner, ...call),
    dispose: async () => {
      await runner.dispose();
      await programs.dispose();
    },
  };
}

/** No answer is marked without a reader; everything else works. */
function warned(error: unknown): null {
  console.warn(`engine: no reader was opened, so no answer is marked (${messageOf(error)})`);
  return null;
}

function identity(folder: string, { decoder, sha256, precision }: LoadedWeights): ModelIdentity {
  const { architecture, layers, dModel, dFf, vocabulary, window } = decoder.config;
  const name = folder.replace(/\/+$/, "").split("/").at(-1)!;
  return { name, architecture, sha256, layers, dModel, dFf, vocabulary, window, precision };
}

export const RECORDED_PROBE = "probe.json";

export async function readRecordedProbe(files: ModelFiles): Promise<RecordedProbe | null> {
  if (!files.names.includes(RECORDED_PROBE)) return null;
  const found = await readJson(files, RECORDED_PROBE).catch(() => undefined);
  const read = v.safeParse(recordedProbe, found);
  return read.success ? read.output : null;
}
