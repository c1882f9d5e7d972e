/** @file A writer that is trained through the service: kept with a downloaded model, handed out for dropped files, removed. */

import { afterAll, beforeAll, expect, it } from "vitest";
import { createHub } from "../../hub/hub.ts";
import { hubServer, type HubServer } from "../../hub/testing/hubServer.ts";
import { memoryCache } from "../../hub/testing/memoryCache.ts";
import { TRAINING_FILE } from "../../engine/teaching.ts";
import { NAMES, PLACES, steerable, VERBS } from "../../memory/testing/steerable.ts";
import { WRITER_FILE } from "../../records/model.ts";
import type { DocumentId } from "../../records/ids.ts";
import { createEngineService, type EngineService } from "../engineService.ts";
import { testHost } from "../testing/host.ts";
import type { TeachReport } from "./runs.ts";

const MODEL = { kind: "hub", repo: "someone/steerable", revision: "main" } as const;
const FOLDER = "someone/steerable@main";
const TEXT = NAMES.flatMap((name) => VERBS.map((verb, i) => `${name} ${verb} the ${PLACES[i]!}.`)).join(
  "\n\n",
);
const SECONDS = 3;

let files: Awaited<ReturnType<typeof steerable>>;
let server: HubServer;
beforeAll(async () => {
  files = await steerable();
  server = await hubServer(MODEL.repo, new Map(Object.entries(files)));
}, 120_000);
afterAll(() => server.close());

async function stoppedAtFirstStep(service: EngineService, documents: readonly DocumentId[]): Promise<void> {
  const stop = new AbortController();
  const begun = service.teach(
    { documents, minutes: 60 },
    { signal: stop.signal, onProgress: ({ stage }) => void (stage === "steps" && stop.abort()) },
  );
  await expect(begun).rejects.toThrow(/cancelled|abort/i);
}

it("is kept with a downloaded model, which has it at its next start, until it is removed", async () => {
  const cache = memoryCache();
  const host = testHost({ hub: createHub({ cache, fetch: server.fetch, retryMs: 1 }) });
  const service = createEngineService(host);
  const open = () => service.open({ source: MODEL, backend: "wasm" });
  const { identity } = await open();
  expect(identity.writer).toBeUndefined();
  const documents = [host.addText("sentences", TEXT)];
  // Cancelled first: what it learned is kept, and the next run goes on from there.
  await stoppedAtFirstStep(service, documents);
  expect(cache.content.get(FOLDER)!.has(TRAINING_FILE)).toBe(true);
  const reports: TeachReport[] = [];
  const taught = await service.teach(
    { documents, minutes: SECONDS / 60 },
    { onProgress: (report) => void reports.push(report) },
  );
  expect(reports.map(({ stage }) => stage)).not.toContain("size");
  expect(taught.file.kept).toBe(true);
  expect(taught.steps).toBeGreaterThan(5);
  expect([...cache.content.get(FOLDER)!.keys()]).toContain(WRITER_FILE);
  expect(cache.content.get(FOLDER)!.has(TRAINING_FILE)).toBe(false);
  const again = await open();
  expect(again.identity.writer).toMatch(/^[0-9a-f]{64}$/);
  await service.removeWriter(null);
  expect((await open()).identity.writer).toBeUndefined();
  await service.close(null);
}, 60_000);

it("goes on after a stop in a pause; what is damaged, or of another revision, is made again", async () => {
  const cache = memoryCache();
  const host = testHost({ hub: createHub({ cache, fetch: server.fetch, retryMs: 1 }) });
  const service = createEngineService(host);
  const open = () => service.open({ source: MODEL, backend: "wasm" });
  await open();
  const kept = cache.content.get(FOLDER)!;
  const documents = [host.addText("sentences", TEXT)];
  const stagesOf = async (minutes: number) => {
    const stages = new Set<string>();
    await service.teach({ documents, minutes }, { onProgress: ({ stage }) => void stages.add(stage) });
    return [...stages];
  };
  const stop = new AbortController();
  const paused = service.teach(
    { documents, minutes: 60 },
    {
      signal: stop.signal,
      onProgress: ({ stage }) =>
        void (stage === "steps" && service.pause({ paused: true }).then(() => stop.abort())),
    },
  );
  await expect(paused).rejects.toThrow(/cancelled/);
  await service.pause({ paused: false });
  const training = kept.get(TRAINING_FILE)!;
  expect(training.length).toBeGreaterThan(1000);
  // One byte of the model's hash within the header: the training is of another revision.
  const text = Buffer.from(training).toString("latin1");
  const at = text.search(/(?<=sha256\\":\\")[0-9a-f]{64}/);
  kept.set(TRAINING_FILE, training.with(at, text[at] === "0" ? 49 : 48));
  expect(await stagesOf(SECONDS / 60)).toContain("layers");
  // A file for which there is no room is not left in part, and takes no writer away that can be read.
  const writer = kept.get(WRITER_FILE)!;
  kept.set(WRITER_FILE, writer.slice(0, writer.length / 2));
  expect((await open()).identity.writer).toBeUndefined();
  cache.limit = 0;
  await expect(stagesOf(SECONDS / 60)).rejects.toThrow("full");
  expect(kept.has(TRAINING_FILE)).toBe(false);
  await service.close(null);
}, 60_000);

it("is handed out where the model's files were dropped, and is read from among them", async () => {
  const host = testHost();
  const service = createEngineService(host);
  const source = { kind: "files", name: "steerable" } as const;
  const dropped = new Map(Object.entries(files).map(([name, bytes]) => [name, new Blob([bytes])]));
  await service.open({ source, backend: "wasm", files: dropped });
  const documents = [host.addText("sentences", TEXT)];
  await stoppedAtFirstStep(service, documents);
  const stages = new Set<string>();
  const onProgress = ({ stage }: TeachReport): void => void stages.add(stage);
  const { file } = await service.teach({ documents, minutes: SECONDS / 60 }, { onProgress });
  expect(stages).not.toContain("size");
  expect(file.kept).toBe(false);
  const withWriter = new Map([...dropped, [file.name, new Blob([new Uint8Array(file.bytes)])]]);
  const { identity } = await service.open({ source, backend: "wasm", files: withWriter });
  expect(identity.writer).toMatch(/^[0-9a-f]{64}$/);
  await service.close(null);
}, 60_000);
