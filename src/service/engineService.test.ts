/** @file The engine service in Node: opening with fallbacks, runs that pause and stop, and losses of the device. */

import { afterEach, describe, expect, it } from "vitest";
import { Cancelled } from "../lib/assert.ts";
import { rounds } from "../lib/testing/thorough.ts";
import { unsalted } from "../store/testing/memory.ts";
import { layerIndex } from "../records/ids.ts";
import { SHARP, type MethodParams } from "../records/params.ts";
import type { DeviceEvent } from "./types.ts";
import { createEngineService, type EngineService } from "./engineService.ts";
import type { Progress } from "../records/progress.ts";
import type { Device } from "../runtime/device.ts";
import { testHost, type TestHost, type TestHostOptions } from "./testing/host.ts";
import { lossyDevice, type LossyDevice } from "./testing/lossyDevice.ts";

const PARAMS: MethodParams = {
  ...SHARP,
  anchors: "rules",
  partTokens: null,
  steps: 8,
  refine: 0,
  answerTokens: 4,
};
const LAYERS = [0, 2].map(layerIndex);
const TEXT =
  "Mary moved to the garden. John went to the hallway. Sandra picked up the football there. " +
  "Mary journeyed to the bathroom. Sandra went to the kitchen. Daniel went to the office.";
const BUNDLED = { source: { kind: "bundled" }, backend: "auto" } as const;

const opened: EngineService[] = [];
afterEach(async () => {
  for (const service of opened.splice(0)) await service.close(null);
});

function start(options: TestHostOptions = {}): {
  host: TestHost;
  service: EngineService;
  events: DeviceEvent[];
} {
  const host = testHost(options);
  const service = createEngineService(host);
  opened.push(service);
  const events: DeviceEvent[] = [];
  void service.events(null, { onProgress: (event) => events.push(event) });
  return { host, service, events };
}

/** The memory of TEXT, made without any interruption; once for all tests. */
const undisturbed = once(async () => {
  const { host, service } = start();
  await service.open(BUNDLED);
  const documents = [host.addText("story", TEXT)];
  const summary = await service.memorize({ memory: "m", documents, params: PARAMS, layers: LAYERS });
  return { summary, memory: (await host.stores.get("m")!.load())! };
});

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

/** Does something when the first batch was stored. (Progress is thinned out by the clock: it says nothing of moments.) */
function onFirstCheckpoint(host: TestHost, act: () => void): void {
  const open = host.openStore;
  let acted = false;
  host.openStore = async (memory) => {
    const store = await open(memory);
    return {
      ...store,
      append: async (batch) => {
        await store.append(batch);
        if (!acted && batch.entries?.length) act();
        acted ||= Boolean(batch.entries?.length);
      },
    };
  };
}

/** What `count` gives once it has stayed the same for a while. */
async function settled(count: () => number): Promise<number> {
  for (let last = count(); ; last = count()) {
    await new Promise((resolve) => setTimeout(resolve, 300));
    if (count() === last) return last;
  }
}

const withoutTimes = <T extends { milliseconds: unknown }>(summary: T) => ({
  ...summary,
  milliseconds: null,
});

describe("opening", () => {
  it("goes through the stages, keeps the reason for wasm, and closes without a byte left", async () => {
    const { host, service } = start();
    const stages: string[] = [];
    const ready = await service.open(BUNDLED, { onProgress: ({ stage }) => stages.push(stage) });
    expect([...new Set(stages)]).toEqual(["self-test", "weights"]);
    expect(ready.device.webgpuMissing).toEqual({
      reason: "no navigator.gpu",
      next: "Use a browser with WebGPU.",
    });
    expect(ready.device.selfTest.verdict).toBe("pass");
    expect((await service.ledger(null))!.total).toBeGreaterThan(0);
    await service.close(null);
    expect(await service.ledger(null)).toBeNull();
    expect(host.devices.map(({ device }) => device.ledger.total)).toEqual([0]);
    await expect(service.ask({ memory: "m", question: "Who?", settings: null })).rejects.toThrow(
      "no model is open",
    );
  });

  it("takes WebGPU where there is one, and replaces the model that was open", async () => {
    const { host, service } = start({ gpu: true });
    expect((await service.open(BUNDLED)).device.webgpuMissing).toBeNull();
    await service.open({ ...BUNDLED, backend: "wasm" });
    expect(host.devices.map(({ backend }) => backend)).toEqual(["webgpu", "wasm"]);
    expect(host.devices[0]!.device.ledger.total).toBe(0);
  });

  /** A GPU whose products are off by a tenth. */
  const wrong = (device: Device, backend: string): Device => {
    if (backend !== "webgpu") return device;
    return {
      ...device,
      upload: (data, type, dims, purpose) =>
        device.upload(data instanceof Float32Array ? data.map((x) => x * 1.1) : data, type, dims, purpose),
    };
  };

  it("does not use a GPU that computes wrongly: wasm under auto, an error where WebGPU was asked for", async () => {
    const { host, service } = start({ gpu: true, wrap: wrong });
    const { device } = await service.open(BUNDLED);
    expect(device.webgpuMissing?.reason).toMatch(/self-test found wrong results on webgpu \(wrong/);
    expect(device.selfTest.verdict).toBe("pass");
    await expect(service.open({ ...BUNDLED, backend: "webgpu" })).rejects.toThrow(/Choose auto or wasm/);
    // What failed took nothing away: the model that was open still answers.
    expect((await service.ask({ memory: "m", question: "Who?", settings: null })).notInMemory).toBe(true);
    expect(host.devices[2]!.device.ledger.total).toBe(0);
  });

  it("says why there is no WebGPU where it was asked for", async () => {
    const { service } = start();
    await expect(service.open({ ...BUNDLED, backend: "webgpu" })).rejects.toThrow(
      "WebGPU is not available (no navigator.gpu). Use a browser with WebGPU.",
    );
  });

  it("is cancelled by its signal, and asks for dropped files that are gone", async () => {
    const { host, service } = start();
    const stop = new AbortController();
    const opening = service.open(BUNDLED, {
      signal: stop.signal,
      onProgress: ({ stage }) => {
        if (stage === "weights") stop.abort();
      },
    });
    await expect(opening).rejects.toThrow(Cancelled);
    expect(host.devices[0]!.device.ledger.total).toBe(0);
    const source = { kind: "files", name: "tiny" } as const;
    await expect(service.open({ source, backend: "auto" })).rejects.toThrow('"tiny" are not available; drop');
  });

  it("lists files and fit before anything is loaded", async () => {
    const { host, service } = start({ gpu: true });
    const listing = await service.inspect({ source: { kind: "bundled" } });
    expect(listing.architecture).toBe("Qwen3ForCausalLM");
    const weights = listing.files.find(({ name }) => name === "model.safetensors")!;
    expect(Math.abs(weights.bytes - listing.parameters! * 4)).toBeLessThan(20_000); // the header
    expect(listing.precisions[0]!.fit.map(({ backend, verdict }) => [backend, verdict])).toEqual([
      ["webgpu", "unknown"],
      ["wasm", "fits"],
    ]);
    expect(host.devices).toEqual([]);
  });
});

describe("a run", () => {
  it("stops between two steps while paused, lets questions through, and ends as if it had not paused", async () => {
    const expected = await undisturbed();
    const { host, service } = start();
    await service.open(BUNDLED);
    const documents = [host.addText("story", TEXT)];
    let steps = 0;
    let stopped: () => void = () => undefined;
    const paused = new Promise<void>((resolve) => (stopped = resolve));
    const onProgress = ({ encode }: Progress): void => {
      if (!encode) return;
      steps++;
      if (steps === 1) void service.pause({ paused: true }).then(stopped);
    };
    const running = service.memorize(
      { memory: "m", documents, params: PARAMS, layers: LAYERS },
      { onProgress },
    );
    await paused;
    // The step under way still ends, and is told.
    const before = await settled(() => steps);
    const answer = await service.ask({ memory: "other", question: "Where is Mary?", settings: null });
    expect(answer.notInMemory).toBe(true);
    expect(await settled(() => steps)).toBe(before);
    await service.pause({ paused: false });
    expect(withoutTimes(await running)).toEqual(withoutTimes(expected.summary));
    expect(unsalted(await host.stores.get("m")!.load())).toEqual(unsalted(expected.memory));
  });

  it("can be cancelled while paused; what it stored is taken up by resume", async () => {
    const expected = await undisturbed();
    const { host, service } = start();
    await service.open(BUNDLED);
    const documents = [host.addText("story", TEXT)];
    const stop = new AbortController();
    onFirstCheckpoint(host, () => void service.pause({ paused: true }).then(() => stop.abort()));
    const running = service.memorize(
      { memory: "m", documents, params: PARAMS, layers: LAYERS },
      { signal: stop.signal },
    );
    await expect(running).rejects.toThrow(Cancelled);
    const left = (await host.stores.get("m")!.load())!;
    expect(left.entries.length).toBeGreaterThan(0);
    expect(left.entries.length).toBeLessThan(expected.memory.entries.length);
    await expect(
      service
        .forget({ memory: "m", ids: [left.entries[0]!.id] })
        .then(({ certificate }) => certificate.compared),
    ).resolves.toBe(left.entries.length - 1);
    expect(await host.stores.get("m")!.load()).toMatchObject({ deletions: [{ at: "2026-01-01", facts: 1 }] });
    await service.pause({ paused: false });
    const summary = await service.resume({ memory: "m" });
    expect(summary).toMatchObject({ resumed: 6 - left.entries.length, total: 5 });
    expect(await service.resume({ memory: "m" })).toBeNull();
  });

  it("ends with Cancelled when the model is closed under it", async () => {
    const { host, service } = start();
    await service.open(BUNDLED);
    const documents = [host.addText("story", TEXT)];
    const running = service.memorize(
      { memory: "m", documents, params: PARAMS, layers: LAYERS },
      { onProgress: ({ encode }) => void (encode && service.close(null)) },
    );
    await expect(running).rejects.toThrow(Cancelled);
    await service.close(null); // waits for the one under way
    expect(host.devices.map(({ device }) => device.ledger.total)).toEqual([0]);
  });

  it("tells of every batch: losses so far", async () => {
    const { host, service } = start();
    await service.open(BUNDLED);
    const documents = [host.addText("story", TEXT)];
    const seen: Progress[] = [];
    await service.memorize(
      { memory: "m", documents, params: { ...PARAMS, steps: 40 }, layers: LAYERS },
      { onProgress: (progress) => seen.push(progress) },
    );
    const encoding = seen.flatMap(({ encode }) => encode ?? []);
    expect(encoding.length).toBeGreaterThan(0);
    for (const { losses } of encoding) expect(losses.length).toBeGreaterThan(0);
    expect(seen.at(-1)).toMatchObject({ stage: "encode", done: 6, total: 6 });
  });

  it("is not deleted from while it writes", async () => {
    const { host, service } = start();
    await service.open(BUNDLED);
    const documents = [host.addText("story", TEXT)];
    let deleting: Promise<unknown> | undefined;
    await service.memorize(
      { memory: "m", documents, params: PARAMS, layers: LAYERS },
      { onProgress: () => (deleting ??= service.forget({ memory: "m", ids: [] }).catch((e: unknown) => e)) },
    );
    expect(await deleting).toMatchObject({ message: expect.stringMatching(/a run is writing/) as string });
  });
});

describe("estimates, probes and changes of one fact", () => {
  it("says what a run will keep and how long it will take, once a run of the model was measured", async () => {
    const { host, service } = start();
    await service.open(BUNDLED);
    const documents = [host.addText("story", TEXT)];
    const argument = { memory: "m", documents, params: { ...PARAMS, capacity: 2 }, layers: LAYERS };
    const before = await service.estimate(argument);
    expect(before).toMatchObject({ candidates: 6, anchors: 4, facts: 4, layers: 2, bound: "capacity" });
    expect(before.seconds).toBeNull();
    expect((await service.memorize({ ...argument, memory: "first" })).expected).toBeUndefined();
    const known = await service.estimate(argument);
    expect(known.seconds).toBeGreaterThan(0);
    const shares: number[] = [];
    const summary = await service.memorize(argument, {
      onProgress: ({ run }) => void (run && run.secondsLeft !== null && shares.push(run.share)),
    });
    // One bar over all of the run, told from its first stage on.
    expect(shares.length).toBeGreaterThan(1);
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
    expect(summary.expected).toBe(known.seconds);
    expect(summary.retained).toBe(before.facts);
    expect(summary.bytes).toBe(before.bytes);
    const other = [host.addText("more", "Emily went to the cellar.")];
    const after = await service.estimate({ ...argument, documents: other, params: PARAMS });
    expect(after).toMatchObject({ candidates: 1, facts: 1 });
    expect(after.seconds).toBeGreaterThan(0);
    expect(host.rates.size).toBe(1);
    // What is stored already is not counted again.
    expect((await service.estimate(argument)).facts).toBe(0);
  });

  it("probes the layers that were asked for once, and not again in a run", async () => {
    const { host, service } = start();
    await service.open(BUNDLED);
    const plan = await service.probe({ params: { ...PARAMS, layers: 1 }, layers: null });
    expect(plan.choices.map(({ layer }) => layer).sort()).toEqual([0, 1, 2]);
    const notes: (string | undefined)[] = [];
    const documents = [host.addText("story", TEXT)];
    const summary = await service.memorize(
      { memory: "m", documents, params: { ...PARAMS, layers: 1 } },
      { onProgress: ({ stage, note }) => void (stage === "layers" && notes.push(note)) },
    );
    expect(notes).toEqual(["probed before"]);
    expect(summary.layers).toEqual(plan.layers);
    await expect(service.probe({ params: PARAMS, layers: [layerIndex(3)] })).rejects.toThrow(
      "storage layers 3: 3 given",
    );
  });

  it("encodes a fact again with another value at another layer, and answers from the new one", async () => {
    const { host, service } = start();
    await service.open(BUNDLED);
    const documents = [host.addText("story", TEXT)];
    await service.memorize({ memory: "m", documents, params: PARAMS, layers: LAYERS });
    const { entries } = (await host.stores.get("m")!.load())!;
    const [first, ...others] = entries;
    const ids = others.map(({ id }) => id);
    const recalled = async () => (await service.recall({ memory: "m", ids })).map(({ tokens }) => tokens);
    const before = await recalled();
    const row = await service.reencode({
      memory: "m",
      id: first!.id,
      value: "Mary sat in the cellar.",
      layer: layerIndex(1),
    });
    expect(row).toMatchObject({ id: first!.id, layer: 1, anchor: first!.anchor });
    const stored = (await host.stores.get("m")!.load())!;
    expect(stored.entries.find(({ id }) => id === first!.id)!.layer).toBe(1);
    expect(await recalled()).toEqual(before);
    await expect(service.reencode({ memory: "m", id: first!.id, value: " " })).rejects.toThrow("is blank");
  });
});

describe("a fact encoded again as it is", () => {
  it("comes out as the row says, and is not stored where the earlier vector is better", async () => {
    const { host, service } = start();
    await service.open(BUNDLED);
    const documents = [host.addText("story", TEXT)];
    await service.memorize({
      memory: "m",
      documents,
      params: { ...PARAMS, steps: 1, refine: 0 },
      layers: LAYERS,
    });
    const store = host.stores.get("m")!;
    const entry = (await store.load())!.entries.find(({ report }) => !report.exact)!;
    const report = { ...entry.report, fidelity: 0.999 };
    await store.append({ entries: [{ ...entry, report }] });
    const given = { memory: "m", id: entry.id };
    await expect(service.reencode(given)).rejects.toThrow(/give the value/);
    const row = await service.reencode({ ...given, value: TEXT.slice(entry.offset).split(/(?<=\.) /)[0]! });
    expect(row.exact).toBe(false);
    expect(row.fidelity).toBeLessThan(0.999);
    expect((await store.load())!.entries.find(({ id }) => id === entry.id)!.report).toEqual(report);
  });
});

describe("a lost device", () => {
  /** The devices of a service, each of which can be lost. */
  function lossy(): ReturnType<typeof start> & { devices: LossyDevice[] } {
    const devices: LossyDevice[] = [];
    const started = start({
      gpu: true,
      wrap: (device) => {
        const made = lossyDevice(device);
        devices.push(made);
        return made;
      },
    });
    return { ...started, devices };
  }

  for (const runs of rounds([12], [2, 12, 25]))
    it(`is replaced, and the run over it ends as if nothing had happened (lost after ${runs} runs)`, async () => {
      const expected = await undisturbed();
      const { host, service, events, devices } = lossy();
      await service.open(BUNDLED);
      const documents = [host.addText("story", TEXT)];
      devices[0]!.loseAfter(runs);
      const summary = await service.memorize({ memory: "m", documents, params: PARAMS, layers: LAYERS });
      expect(events.map(({ kind }) => kind)).toEqual(["lost", "reloading", "ready"]);
      expect(devices.length).toBe(2);
      expect(withoutTimes(summary)).toEqual(withoutTimes(expected.summary));
      expect(unsalted(await host.stores.get("m")!.load())).toEqual(unsalted(expected.memory));
    });

  it("is replaced under a question, which is asked again", async () => {
    const { host, service, devices } = lossy();
    await service.open(BUNDLED);
    const documents = [host.addText("story", TEXT)];
    await service.memorize({ memory: "m", documents, params: PARAMS, layers: LAYERS });
    const question = { memory: "m", question: "Where is Sandra?", settings: null };
    const expected = await service.ask(question);
    devices[0]!.lose();
    const again = await service.ask(question);
    expect(withoutTimes(again)).toEqual(withoutTimes(expected));
    expect(expected.recalled.length).toBeGreaterThan(0);
    devices[1]!.loseAfter(3);
    expect(withoutTimes(await service.ask(question))).toEqual(withoutTimes(expected));
  });

  it("twice within a minute leads to wasm, and says so", async () => {
    const { host, service, events, devices } = lossy();
    await service.open(BUNDLED);
    devices[0]!.lose();
    await expect.poll(() => events.length).toBe(3);
    devices[1]!.lose();
    await expect.poll(() => events.length).toBe(6);
    expect(host.devices.map(({ backend }) => backend)).toEqual(["webgpu", "webgpu", "wasm"]);
    expect(events[4]!.message).toMatch(/on wasm, since the GPU was lost twice/);
    expect(events[5]!.kind).toBe("ready");
  });

  it("that cannot be replaced fails the run with the reason; the store keeps its checkpoints", async () => {
    const { host, service, events, devices } = lossy();
    await service.open(BUNDLED);
    const documents = [host.addText("story", TEXT)];
    host.openDevice = () => Promise.reject(new Error("no driver"));
    onFirstCheckpoint(host, () => devices[0]!.lose());
    const running = service.memorize({ memory: "m", documents, params: PARAMS, layers: LAYERS });
    await expect(running).rejects.toThrow(/was lost and the model could not be loaded again: no driver/);
    expect(events.at(-1)!.kind).toBe("failed");
    expect((await host.stores.get("m")!.load())!.entries.length).toBeGreaterThan(0);
    const question = { memory: "m", question: "Who?", settings: null };
    await expect(service.ask(question)).rejects.toThrow("no driver");
  });
});
