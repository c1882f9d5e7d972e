/** @file A memory of real size in a browser's database: made, opened as a table, and asked on a made model of its widths. */
import { openEngine, type LocalEngine } from "../../src/engine/localEngine.ts";
import { openMemory, recallFacts, routeQuestion } from "../../src/flow/answer.ts";
import { createWebDevice } from "../../src/runtime/web.ts";
import { WASM_PATHS } from "../../src/runtime/wasmFiles.ts";
import type { Device } from "../../src/runtime/device.ts";
import { exportMemory, importMemory } from "../../src/store/archive.ts";
import { openDatabase } from "../../src/store/database.ts";
import { readFacts } from "../../src/store/facts.ts";
import { openIndexedDbStore } from "../../src/store/indexedDb.ts";
import { urlModelFiles } from "../../src/weights/modelFiles.ts";
import { ASKED, idOf, LAYERS, MADE_EMBEDDER, madeFiles, writeMemory } from "../support/realSize.ts";
import { serveChecks } from "../support/serve.ts";

let opened: { readonly device: Device; readonly engine: LocalEngine } | undefined;
/** The most bytes on the device beside stored vectors, and the most that these took. */
const most = { beside: 0, vectors: 0 };

/** The memory of wasm: the browser counts it as JavaScript's. */
const wasm: WebAssembly.Memory[] = [];
WebAssembly.Memory = new Proxy(WebAssembly.Memory, {
  construct(Memory, [descriptor]: [WebAssembly.MemoryDescriptor]) {
    const memory = new Memory(descriptor);
    wasm.push(memory);
    return memory;
  },
});

const checks = {
  /** Bytes that are no heap but the device's: of wasm, and of what the ledger counts, which without a GPU are arrays. */
  device: async () =>
    wasm.reduce((sum, { buffer }) => sum + buffer.byteLength, 0) + opened!.device.ledger.total,
  /** Opens a model of made weights with the tokenizer of the one at `tokenizer`. */
  open: async ({ tokenizer }: { readonly tokenizer: string }) => {
    // One thread: a worker of wasm's that waits for work does not answer who asks for its memory.
    const device = watched(
      await createWebDevice({ backend: "wasm", wasmPaths: WASM_PATHS.wasm, threads: 1 }),
    );
    const options = { precision: "q8", embedder: MADE_EMBEDDER } as const;
    opened = { device, engine: await openEngine(device, madeFiles(urlModelFiles(tokenizer)), options) };
    return device.ledger.bytes.weights;
  },
  /** Stores a memory of so many facts, and says how long that took and what the browser says it takes. */
  make: async ({ memory, facts }: { readonly memory: string; readonly facts: number }) => {
    const before = (await navigator.storage.estimate()).usage ?? NaN;
    const started = performance.now();
    await writeMemory(openIndexedDbStore(await openDatabase(), memory), opened!.engine, facts);
    const milliseconds = performance.now() - started;
    return { milliseconds, bytes: ((await navigator.storage.estimate()).usage ?? NaN) - before };
  },
  /** Exports a memory and imports it as another. */
  copy: async ({ from, to }: { readonly from: string; readonly to: string }) => {
    const database = await openDatabase();
    const started = performance.now();
    const archive = await exportMemory(openIndexedDbStore(database, from), "bench");
    const toExport = performance.now() - started;
    const options = { name: "copy.zip", mode: "replace" } as const;
    const { added } = await importMemory(openIndexedDbStore(database, to), archive, options);
    return { bytes: archive.size, added, toExport, toImport: performance.now() - started - toExport };
  },
  /** Milliseconds to read the rows of the table of facts. */
  table: async ({ memory }: { readonly memory: string }) => {
    const started = performance.now();
    const rows = await readFacts(await openDatabase(), memory);
    return { rows: rows.length, milliseconds: performance.now() - started };
  },
  /** Opens the memory and recalls facts of the first `layers` storage layers, twice; which blocks were read, by layer. */
  recall: async ({ memory, layers }: { readonly memory: string; readonly layers: number }) => {
    Object.assign(most, { beside: 0, vectors: 0 });
    const started = performance.now();
    const kept = (await openIndexedDbStore(await openDatabase(), memory).open())!;
    const read = new Map<number, { blocks: number; bytes: number }>();
    const blocks = kept.blocks.map((block) => ({
      ...block,
      read: async () => {
        const vectors = await block.read();
        const known = read.get(block.layer) ?? { blocks: 0, bytes: 0 };
        const bytes = [vectors.keys, vectors.residuals]
          .flatMap((rows) => Object.values(rows))
          .reduce((sum, array: ArrayBufferView) => sum + array.byteLength, 0);
        read.set(block.layer, { blocks: known.blocks + 1, bytes: known.bytes + bytes });
        return vectors;
      },
    }));
    const open = openMemory(opened!.engine, { ...kept, blocks }, kept.params);
    const toOpen = performance.now() - started;
    const facts = ASKED.filter((n) => n % LAYERS.length < layers).map(idOf);
    const times: number[] = [];
    let exact = 0;
    for (let turn = 0; turn < 2; turn++) {
      const from = performance.now();
      const said = await recallFacts(open, { facts });
      times.push(performance.now() - from);
      exact = said.filter(({ read, id }) => read.gateOpen && read.winner === id).length;
    }
    open.dispose();
    const stored = kept.blocks.reduce<Record<number, number>>(
      (sum, { layer }) => ({ ...sum, [layer]: (sum[layer] ?? 0) + 1 }),
      {},
    );
    return {
      toOpen,
      times,
      facts: facts.length,
      won: exact,
      read: Object.fromEntries(read),
      stored,
      ...most,
    };
  },
  /**
   * Milliseconds to open the memory, then to find the facts for a question: asked at once, asked again, and asked at once
   * of a memory whose word index was made before.
   */
  find: async ({ memory, question }: { readonly memory: string; readonly question: string }) => {
    const started = performance.now();
    const kept = (await openIndexedDbStore(await openDatabase(), memory).open())!;
    const open = openMemory(opened!.engine, kept, kept.params);
    const opening = performance.now() - started;
    const timed = async (of: typeof open): Promise<{ milliseconds: number; facts: number }> => {
      const from = performance.now();
      const { facts } = await routeQuestion(of, question);
      return { milliseconds: performance.now() - from, facts: facts.length };
    };
    const [first, again] = [await timed(open), await timed(open)];
    const other = openMemory(opened!.engine, kept, kept.params);
    await other.index.prepare();
    const prepared = await timed(other);
    open.dispose();
    other.dispose();
    return { opening, first, again, prepared };
  },
} as const;

/** The device, whose ledger is looked at after every upload. */
function watched(device: Device): Device {
  const upload: Device["upload"] = (...args) => {
    const tensor = device.upload(...args);
    const { bytes, total } = device.ledger;
    most.beside = Math.max(most.beside, total - bytes.vectors);
    most.vectors = Math.max(most.vectors, bytes.vectors);
    return tensor;
  };
  return new Proxy(device, {
    get: (target, name) => {
      if (name === "upload") return upload;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? (value as () => unknown).bind(target) : value;
    },
  });
}

export type RealSizeChecks = typeof checks;
serveChecks(checks);
