/** @file Drives the real engine worker through the protocol, with documents put into the browser's database. */
import { makeDocument } from "../../src/ingest/text.ts";
import type { DocumentId, FactId } from "../../src/records/ids.ts";
import type { LoadProgress } from "../../src/records/model.ts";
import { SHARP, type MethodParams } from "../../src/records/params.ts";
import { connect } from "../../src/rpc/connect.ts";
import type { EngineService, OpenModel } from "../../src/rpc/protocol.ts";
import { openDatabase } from "../../src/store/database.ts";
import { addDocument } from "../../src/store/documents.ts";
import { serveChecks } from "../support/serve.ts";

const { service } = connect<EngineService>(
  new Worker(new URL("../../workers/engine.worker.ts", import.meta.url), { type: "module" }),
  "engine",
);
const database = openDatabase();

async function addText(title: string, text: string): Promise<DocumentId> {
  const { id } = makeDocument(title, text);
  const about = { title, format: "text", encoding: null, characters: text.length, pages: null, notes: [] };
  await addDocument(await database, { ...about, id, hash: id, added: new Date().toISOString() }, text);
  return id;
}

/** Files in base64 as dropped ones. */
function blobs(files: Readonly<Record<string, string>>): Map<string, Blob> {
  const bytes = (base64: string) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  return new Map(Object.entries(files).map(([name, base64]) => [name, new Blob([bytes(base64)])]));
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
  memorize: async (argument: { memory: string; text: string; params: Partial<MethodParams> }) => {
    const id = await addText("story", argument.text);
    const stages: string[] = [];
    const params = { ...SHARP, ...argument.params };
    const summary = await service.memorize(
      { memory: argument.memory, documents: [id], params },
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
