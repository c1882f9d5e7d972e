/** @file Drives the real engine worker through the protocol, with documents put into the browser's database. */
import { makeDocument } from "../../src/ingest/text.ts";
import { layerIndex, type DocumentId, type FactId } from "../../src/records/ids.ts";
import type { LoadProgress } from "../../src/records/model.ts";
import { SHARP, type MethodParams } from "../../src/records/params.ts";
import { connect } from "../../src/rpc/connect.ts";
import type { EngineService } from "../../src/service/engineService.ts";
import type { OpenModel } from "../../src/service/types.ts";
import { openDatabase } from "../../src/store/database.ts";
import { addDocument } from "../../src/store/documents.ts";
import { blobs } from "../support/blobs.ts";
import { serveChecks } from "../support/serve.ts";

const { service } = connect<EngineService>(
  new Worker(new URL("../../workers/engine.worker.ts", import.meta.url), { type: "module" }),
  "engine",
);
const database = openDatabase();

async function addText(title: string, text: string): Promise<DocumentId> {
  const { id } = makeDocument(title, text);
  const about = { title, format: "text", encoding: null, characters: text.length, pages: null, notes: [] };
  await addDocument(await database, { ...about, id, added: new Date().toISOString() }, text);
  return id;
}

export interface Opening extends Omit<OpenModel, "files"> {
  readonly files?: Readonly<Record<string, string>>;
}

const argumentOf = ({ files, ...rest }: Opening): OpenModel => ({
  ...rest,
  ...(files ? { files: blobs(files) } : {}),
});

const checks = {
  survey: () => service.survey(null),
  inspect: (argument: Omit<Opening, "backend">) =>
    service.inspect(argumentOf({ ...argument, backend: "auto" })),
  open: async (argument: Opening) => {
    const stages: LoadProgress["stage"][] = [];
    const ready = await service.open(argumentOf(argument), {
      onProgress: ({ stage }) => {
        if (stages.at(-1) !== stage) stages.push(stage);
      },
    });
    return { ready, stages };
  },
  /** Opens, and cancels the download as soon as the weights have begun to arrive. */
  interrupt: async (argument: Opening) => {
    const stop = new AbortController();
    return service
      .open(argumentOf(argument), {
        signal: stop.signal,
        onProgress: ({ files }) => {
          if (files?.some(({ name, done }) => name === "model.safetensors" && done > 0)) stop.abort();
        },
      })
      .then(
        () => "opened",
        (error: unknown) => (error as Error).name,
      );
  },
  cachedModels: () => service.cachedModels(null),
  removeCachedModel: (argument: { repo: string; revision: string }) => service.removeCachedModel(argument),
  memorize: async (argument: {
    memory: string;
    text: string;
    params: Partial<MethodParams>;
    layers?: readonly number[];
  }) => {
    const id = await addText("story", argument.text);
    const layers = argument.layers?.map(layerIndex);
    const stages: string[] = [];
    const params = { ...SHARP, ...argument.params };
    const summary = await service.memorize(
      { memory: argument.memory, documents: [id], params, ...(layers ? { layers } : {}) },
      {
        onProgress: ({ stage }) => {
          if (stages.at(-1) !== stage) stages.push(stage);
        },
      },
    );
    return { summary, stages };
  },
  ask: (argument: { memory: string; question: string }) => service.ask({ ...argument, settings: null }),
  recall: (argument: { memory: string; ids: readonly FactId[] }) => service.recall(argument),
  forget: (argument: { memory: string; ids: readonly FactId[] }) => service.forget(argument),
  ledger: () => service.ledger(null),
  close: async () => {
    await service.close(null);
    return service.ledger(null);
  },
} as const;

export type EngineChecks = typeof checks;
serveChecks(checks);
