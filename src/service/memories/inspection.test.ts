/** @file Looking through the engine service: every method answers from the stored memory, and studies stream. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { onDemand } from "../../flow/testing/onDemand.ts";
import { layerIndex, type FactId } from "../../records/ids.ts";
import { SHARP, type MethodParams } from "../../records/params.ts";
import type { CaseRecord } from "../../records/run.ts";
import type { RunEvent } from "../evaluation/evaluation.ts";
import { createEngineService, type EngineService } from "../engineService.ts";
import type { Device, Session } from "../../runtime/device.ts";
import { testHost, type TestHost } from "../testing/host.ts";

const PARAMS: MethodParams = {
  ...SHARP,
  anchors: "rules",
  partTokens: null,
  steps: 4,
  refine: 0,
  answerTokens: 4,
};
const TEXT =
  "Mary moved to the garden. John went to the hallway. Sandra picked up the football there. " +
  "It was late. Mary journeyed to the bathroom. Sandra went to the kitchen. Daniel went to the office.";
const STUDY = {
  study: "capacity",
  settings: { sizes: "2, 4", fixed: 2, presets: "sharp", kinds: "memory", layer: 1 },
  params: PARAMS,
  seed: 3,
  app: "0.1.0",
  memory: "m",
  document: null,
} as const;

describe("looking through the engine service", () => {
  let service: EngineService;
  let host: TestHost;
  let ids: FactId[];
  /** Runs of sessions, and who is told of each. */
  let runs = 0;
  let onRun: () => void = () => undefined;
  const counted = async (device: Device, args: Parameters<Device["createSession"]>): Promise<Session> => {
    const session = await device.createSession(...args);
    const run: Session["run"] = (...feeds) => {
      runs++;
      onRun();
      return session.run(...feeds);
    };
    return { ...session, run };
  };
  let document: ReturnType<TestHost["addText"]>;
  beforeAll(async () => {
    host = testHost({ wrap: (device) => ({ ...device, createSession: (...args) => counted(device, args) }) });
    service = createEngineService(host);
    await service.open({ source: { kind: "bundled" }, backend: "auto" });
    document = host.addText("story", TEXT);
    const layers = [0, 2].map(layerIndex);
    await service.memorize({ memory: "m", documents: [document], params: PARAMS, layers });
    ids = (await host.stores.get("m")!.load())!.entries.map(({ id }) => id);
  });
  afterAll(() => service.close(null));

  it("traces a recall and lists its lens", async () => {
    const trace = await service.trace({ memory: "m", id: ids[0]! });
    expect(trace).toMatchObject({ id: ids[0], theta: SHARP.theta, beta: SHARP.beta });
    expect(trace.soft.similarity).toHaveLength(trace.soft.fed.length * trace.store.length);
    const lens = await service.lens({ memory: "m", id: ids[0]! });
    expect(lens.steps[0]!.withDelta).toHaveLength(4);
    const [recalled] = await service.recall({ memory: "m", ids: [ids[0]!] });
    expect(trace.top1.decoded.map(({ id }) => id)).toEqual(recalled!.tokens);
  });

  it("shows the recall prompt in tokens, and what a value would take of the window", async () => {
    const { entries } = (await host.stores.get("m")!.load())!;
    const { id } = entries.find(({ anchor, index }) => anchor === "Mary" && index === 1)!;
    const prompt = await service.prompt({ memory: "m", id });
    expect(prompt.text).toBe("Recall the fact about Mary (1):");
    expect(prompt.tokens.map(({ text }) => text).join("")).toBe(prompt.text);
    const upToKey = prompt.tokens.slice(0, prompt.keyPosition + 1).map(({ text }) => text);
    expect(prompt.text.startsWith(upToKey.join(""))).toBe(true);
    expect(upToKey.join("")).toMatch(/Mary \(1\)?$/);
    const longer = await service.prompt({ memory: "m", id, value: `${TEXT} ${TEXT}` });
    expect(longer.valueTokens).toBeGreaterThan(prompt.valueTokens);
    expect(longer.room).toBe(prompt.room);
  });

  it("says what the reading of a text kept and dropped", async () => {
    const { sentences, anchors } = await service.extraction({
      document,
      params: { ...PARAMS, candidateFilter: "wide" },
    });
    expect(sentences.map(({ dropped }) => dropped)).toContain("no factual signal");
    expect(anchors.map(({ outcome }) => outcome)).toEqual(anchors.map(() => "rule"));
    expect(anchors).toHaveLength(sentences.filter(({ dropped }) => dropped === null).length);
  });

  it("measures layers, draws maps, and finds neighbours", async () => {
    const layer = layerIndex(0);
    const { matrix, margins } = await service.geometry({ memory: "m", layer, matrix: 2, margins: 99 });
    expect(matrix.keys).toHaveLength(2);
    expect(margins).toHaveLength(matrix.stored);
    const request = { of: "residual", layer: null, method: "umap", limit: 50, seed: 1 } as const;
    const shares: number[] = [];
    const [map] = await service.map(
      { memories: ["m"], request },
      { onProgress: (share) => shares.push(share) },
    );
    expect(map!.points.map(({ id }) => id)).toEqual(ids);
    expect(shares.at(-1)).toBe(1);
    const near = await service.nearest({ memory: "m", id: ids[0]!, count: 3 });
    expect(near.byResidual).toHaveLength(3);
  });

  it("maps two memories in one projection: what both hold lies at one place", async () => {
    await service.memorize({ memory: "n", documents: [document], params: PARAMS, layers: [layerIndex(0)] });
    const request = { of: "residual", layer: layerIndex(0), method: "pca", limit: 50, seed: 1 } as const;
    const [m, n] = await service.map({ memories: ["m", "n"], request });
    expect(n!.points.length).toBeGreaterThan(m!.points.length);
    for (const { id, x, y } of m!.points) {
      const same = n!.points.find((point) => point.id === id)!;
      expect(same.x).toBeCloseTo(x, 2);
      expect(same.y).toBeCloseTo(y, 2);
    }
    expect(m!.explained).toEqual(n!.explained);
  });

  it("reads of a memory the blocks that a look needs, and never all of it", async () => {
    const store = host.stores.get("m")!;
    const { entries } = (await store.load())!;
    const view = onDemand(store);
    host.stores.set("m", view.store);
    await service.reload({ memory: "m" });
    const { id, layer } = entries[0]!;
    const blocks = (await view.store.open())!.blocks;
    const near = await service.nearest({ memory: "m", id, count: 2 });
    expect(near.byKey.every((other) => other.layer === layer)).toBe(true);
    // By key those of the layer, by residual all, and twice the fact's own; each by itself.
    const ofLayer = blocks.filter((block) => block.layer === layer).length;
    expect(view.read).toHaveLength(1 + ofLayer + 1 + blocks.length);
    view.read.length = 0;
    const request = { of: "key", layer, method: "pca", limit: 50, seed: 1 } as const;
    await service.map({ memories: ["m"], request });
    expect(view.read).toEqual(new Array(ofLayer).fill(layer));
    host.stores.set("m", store);
    await service.reload({ memory: "m" });
  });

  it("ends a look, and what it computes, when its signal fires", async () => {
    const given = { memory: "m", id: ids[0]! };
    const looks: ((signal?: AbortSignal) => Promise<unknown>)[] = [
      (signal) => service.trace(given, signal && { signal }),
      (signal) => service.lens(given, signal && { signal }),
      (signal) => service.recall({ memory: "m", ids }, signal && { signal }),
    ];
    for (const look of looks) {
      onRun = () => undefined;
      runs = 0;
      await look();
      const all = runs;
      expect(all).toBeGreaterThan(3);
      const stop = new AbortController();
      runs = 0;
      onRun = () => void (runs === 2 && stop.abort());
      await expect(look(stop.signal)).rejects.toThrow(/cancelled/);
      expect(runs).toBeLessThan(all);
    }
  });

  it("runs a study over the stored facts: plan, cases, and the rest after a stop", async () => {
    const ids = ["capacity/memory/sharp/2", "capacity/memory/sharp/4"];
    expect(await service.planRun(STUDY)).toMatchObject({ header: { kind: "study" }, ids });
    const made = async (have: readonly string[]): Promise<CaseRecord[]> => {
      const cases: CaseRecord[] = [];
      const onProgress = (event: RunEvent): void =>
        void (event.kind === "record" && cases.push(event.record as CaseRecord));
      expect(await service.makeRecords({ ...STUDY, have }, { onProgress })).toBe(2 - have.length);
      return cases;
    };
    const cases = await made([]);
    expect(cases.map(({ id }) => id)).toEqual(ids);

    const stop = new AbortController();
    const first: string[] = [];
    const onProgress = (event: RunEvent) => {
      if (event.kind !== "record") return;
      first.push(event.record.id);
      stop.abort();
    };
    const stopped = service.makeRecords({ ...STUDY, have: [] }, { signal: stop.signal, onProgress });
    await expect(stopped).rejects.toThrow(/cancelled/);
    expect(first).toEqual([cases[0]!.id]);
    const [record] = await made(first);
    expect({ ...record!.measures, encodingMilliseconds: 0 }).toEqual({
      ...cases[1]!.measures,
      encodingMilliseconds: 0,
    });
  });

  it("names what is not stored", async () => {
    await expect(service.trace({ memory: "m", id: "x:1" as FactId })).rejects.toThrow(/x:1 is not stored/);
    const layer = layerIndex(3);
    expect(await service.geometry({ memory: "m", layer, matrix: 9, margins: 9 })).toMatchObject({
      margins: [],
    });
  });

  it("answers from what is stored now, whoever changed it", async () => {
    await service.memorize({ memory: "o", documents: [document], params: PARAMS, layers: [layerIndex(0)] });
    const [gone, stays] = (await service.recall({ memory: "o", ids })).map(({ id }) => id);
    const store = host.stores.get("o")!;
    const { routing } = (await store.load())!;
    const left = routing.flatMap((document) => {
      const facts = document.facts.filter(({ id }) => id !== gone);
      return facts.length > 0 && facts.length < document.facts.length ? [{ ...document, facts }] : [];
    });
    await store.remove({ ids: new Set([gone!]), routing: left, sources: [] });
    await expect(service.recall({ memory: "o", ids: [gone!] })).rejects.toThrow(/is not stored/);
    expect(await service.recall({ memory: "o", ids: [stays!] })).toHaveLength(1);
    const { entries } = (await store.load())!;
    await store.remove({ ids: new Set(entries.map(({ id }) => id)), routing: [], sources: [] });
    await expect(service.recall({ memory: "o", ids: [stays!] })).rejects.toThrow(/is not stored/);
    expect((await service.ask({ memory: "o", question: "Where is Mary?", settings: null })).recalled).toEqual(
      [],
    );
  });
});
