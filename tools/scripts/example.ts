/**
 * @file `npm run tool -- example`: runs the worked example for real, on the CPU of this machine, with the app's own state and
 * services, and records its outputs and fact rows in public/samples/example.json.
 */

import { BUNDLED_MODEL } from "../cli.ts";
import "fake-indexeddb/auto";
import { readFile, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { MessageChannel } from "node:worker_threads";
import packageJson from "../../package.json" with { type: "json" };
import { createHub } from "../../src/hub/hub.ts";
import { memoryCache } from "../../src/hub/testing/memoryCache.ts";
import { newCell, newNotebook } from "../../src/notebook/kinds.ts";
import { EXAMPLE_ID, EXAMPLE_PATH, type ExampleFile, SAMPLE, readNotebook } from "../../src/notebook/file.ts";
import type { Cell, Notebook, SourceEntry } from "../../src/records/notebook.ts";
import { connect, type Connection, type WorkerPort } from "../../src/rpc/connect.ts";
import { NO_DEADLINE } from "../../src/rpc/testing/noDeadline.ts";
import { serve } from "../../src/rpc/serve.ts";
import type { Port, Service } from "../../src/rpc/wire.ts";
import { wasmCapabilities } from "../../src/runtime/capabilities.ts";
import { createNodeDevice } from "../node/nodeDevice.ts";
import type { EngineHost } from "../../src/service/types.ts";
import { createEngineService } from "../../src/service/engineService.ts";
import { createLibraryService } from "../../src/service/library/libraryService.ts";
import { createApp, type App } from "../../src/state/app.ts";
import { readRates, writeRates } from "../../src/store/costs.ts";
import { openDatabase, type Database } from "../../src/store/database.ts";
import { readDocument, readText } from "../../src/store/documents.ts";
import { readMemoryHead } from "../../src/store/facts.ts";
import { openIndexedDbStore } from "../../src/store/indexedDb.ts";
import type { ModelFiles } from "../../src/weights/modelFiles.ts";
import { nodeModelFiles } from "../node/nodeFile.ts";

/** The questions of the recorded run; the last one is in the cell. */
const EXAMPLE_QUESTIONS = [
  "What is the code of Project Beacon?",
  "Where is Sandra?",
  "Where is Mary?",
] as const;

/** `recorded` adds the machine after these words of the opening note. */
const SAVED_BY = "are those of a real run";

const OPENING = `A palimpsest is a page whose text was scraped off and can still be read. This notebook reads a short story, stores its facts as small vectors **δ** that steer a frozen language model, throws the story away, and makes the model say the facts again, word for word.

The outputs that came with this page ${SAVED_BY}. Each output shows its date in the margin. **Run all** makes them again in this tab, without a download or an account, and nothing leaves your machine.`;

const CLOSING = `Delete a fact from the memory and ask again, change the threshold of the gate, or try your own text at the top of the page. Press \`?\` for the keys.`;

function exampleCells(entry: SourceEntry): Cell[] {
  return [
    newCell("note", "example-opening", { text: OPENING }),
    newCell("model", "example-model"),
    newCell("source", "example-source", { documents: [entry], forget: true }),
    newCell("memorize", "example-memorize"),
    newCell("store", "example-store"),
    newCell("ask", "example-ask", { question: EXAMPLE_QUESTIONS.at(-1)!, params: null }),
    newCell("note", "example-closing", { text: CLOSING }),
  ];
}

const exampleNotebook = (entry: SourceEntry, now: string): Notebook =>
  newNotebook(EXAMPLE_ID, "The lamp at Harrow Point", exampleCells(entry), now);

/** The host of engineBrowser.ts, but for the device and the files. */
function nodeHost(database: Database, files: ModelFiles): EngineHost {
  return {
    deadline: NO_DEADLINE,
    survey: async () => ({
      wasm: wasmCapabilities("onnxruntime-node", 2, {}),
      webgpuMissing: {
        reason: "no navigator.gpu",
        next: "This example was recorded on a CPU; run it here to see what your machine does.",
      },
    }),
    openDevice: () => createNodeDevice({ backend: "cpu" }),
    gpuWaits: [],
    openEmbedder: () => Promise.reject(new Error("the example is found by the model's own embedder")),
    openHelper: { reranker: noHelper, compressor: noHelper },
    bundled: () => files,
    hub: createHub({ cache: memoryCache(), fetch: () => Promise.reject(new TypeError("no network")) }),
    openStore: async (memory) => openIndexedDbStore(database, memory),
    memoryHead: (memory) => readMemoryHead(database, memory),
    readRates: (key) => readRates(database, key),
    writeRates: (key, rates) => writeRates(database, key, rates),
    readDocument: async (id) => {
      const { title = "" } = (await readDocument(database, id)) ?? {};
      return { id, title, text: await readText(database, id) };
    },
    benchmarkFiles: { names: async () => [], read: () => Promise.reject(new Error("the example has none")) },
    now: () => performance.now(),
    date: () => new Date().toISOString(),
  };
}

/** A service on the other end of a channel, as it is in the browser. */
function inChannel<S extends Service<S>>(service: S, name: string): Connection<S> {
  const { port1, port2 } = new MessageChannel();
  serve(port2 as unknown as Port, service);
  return connect<S>(port1 as unknown as WorkerPort, name);
}

const noHelper = () => Promise.reject(new Error("the example compares no methods"));

async function record(app: App): Promise<ExampleFile> {
  const { actions, store } = app;
  await actions.start();
  const bytes = new Uint8Array(await readFile(`public/${SAMPLE.path}`));
  const entry = await app.library().ingest({ name: SAMPLE.name, bytes });
  actions.importNotebook(JSON.stringify(exampleNotebook(entry, new Date().toISOString())));
  const notebook = () => store.getState().open[EXAMPLE_ID]!.notebook;
  for (const { id, kind } of notebook().cells) {
    if (kind !== "model" && kind !== "memorize") continue;
    if (!(await actions.runCell(id))) throw new Error(JSON.stringify(store.getState().runs[id]?.problem));
  }
  const ask = notebook().cells.find((cell) => cell.kind === "ask")!;
  for (const question of EXAMPLE_QUESTIONS) {
    actions.setInput(ask.id, "ask", (input) => ({ ...input, question }));
    if (!(await actions.runCell(ask.id)))
      throw new Error(JSON.stringify(store.getState().runs[ask.id]?.problem));
  }
  await actions.loadFacts();
  const { facts, said } = store.getState().memory;
  // As an import would read it: what no record knows of is not recorded.
  return {
    format: "palimpsest-example",
    notebook: readNotebook(signed(notebook())),
    facts: facts ?? [],
    said: Object.fromEntries(said) as ExampleFile["said"],
  };
}

/** The notebook with the machine it was made on in its opening note: a reader has another one. */
function signed(notebook: Notebook): Notebook {
  const machine = cpus()[0]?.model.trim() ?? "a processor that did not say its name";
  const on = `on another machine than yours (${machine}, ${cpus().length} cores, on ${new Date().toISOString().slice(0, 10)})`;
  return {
    ...notebook,
    cells: notebook.cells.map((cell) =>
      cell.kind === "note"
        ? { ...cell, input: { text: cell.input.text.replace(SAVED_BY, `${SAVED_BY} ${on}`) } }
        : cell,
    ),
  };
}

const database = await openDatabase();
const files = await nodeModelFiles(BUNDLED_MODEL);
const app = createApp({
  connectEngine: () => inChannel(createEngineService(nodeHost(database, files)), "engine"),
  connectLibrary: () =>
    inChannel(
      createLibraryService({
        deadline: NO_DEADLINE,
        database: async () => database,
        date: () => new Date().toISOString(),
        app: packageJson.version,
      }),
      "library",
    ),
  // The example is what is made here: until then there is none to fetch.
  fetchOwn: async () => new Response(null, { status: 404 }),
  now: () => Date.now(),
  newId: () => crypto.randomUUID(),
  app: packageJson.version,
  settings: null,
  session: null,
  holdWriter: async () => ({
    now: () => ({ state: "writer", who: null, running: null }),
    takeOver: async () => undefined,
    saved: () => undefined,
    tell: () => undefined,
    release: () => undefined,
  }),
  persist: async () => false,
  whenIdle: (work) => {
    work();
  },
  undoWindow: 0,
  saveDelay: 1e9,
});
const example = await record(app);
await writeFile(`public/${EXAMPLE_PATH}`, `${JSON.stringify(example, null, 1)}\n`);
for (const { answer } of example.notebook.cells.find((cell) => cell.kind === "ask")?.output?.history ?? [])
  console.log(`${answer.question}  ${answer.text}  [${answer.cited.join(", ")}]`);
console.log(
  `${example.facts.length} facts, ${example.facts.filter(({ exact }) => exact).length} exact, in public/${EXAMPLE_PATH}`,
);
process.exit(0);
