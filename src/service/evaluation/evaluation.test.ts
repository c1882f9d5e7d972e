/** @file The evaluation service in Node: planned, cut off, continued and kept, on a small model of random weights. */

import "fake-indexeddb/auto";
import { afterEach, expect, it } from "vitest";
import { tinyCompressor } from "../../engine/testing/tinyCompressor.ts";
import { tinyEmbedder } from "../../engine/testing/tinyEmbedder.ts";
import { tinyReranker } from "../../engine/testing/tinyReranker.ts";
import { Cancelled } from "../../lib/assert.ts";
import { rounds } from "../../lib/testing/thorough.ts";
import type { EmbedderChoice } from "../../records/embedder.ts";
import type { EvaluationHeader, SampleRecord } from "../../records/evaluation.ts";
import { SHARP } from "../../records/params.ts";
import type { EvaluationArgument } from "./evaluation.ts";
import { createEngineService, type EngineService } from "../engineService.ts";
import { openDatabase } from "../../store/database.ts";
import { createRunsService } from "../library/savedRuns.ts";
import { testHost } from "../testing/host.ts";

const ARGUMENT: EvaluationArgument = {
  notebook: "n",
  benchmark: "babilong",
  tasks: ["qa1"],
  lengths: ["0k"],
  methods: ["ours", "ours-stored", "truncation", "rag-reranked"],
  samples: 2,
  variants: ["whole", "without"],
  prompt: "ours",
  seed: 42,
  params: { ...SHARP, anchors: "rules", partTokens: null, steps: 2, refine: 0 },
  files: [],
  app: "test",
};

const opened: EngineService[] = [];
afterEach(async () => {
  for (const service of opened.splice(0)) await service.close(null);
});

async function started(): Promise<EngineService> {
  const service = createEngineService(testHost());
  opened.push(service);
  await service.open({ source: { kind: "bundled" }, backend: "auto" });
  return service;
}

/** Samples of a call that is cancelled after `most` of them. */
async function samplesOf(
  service: EngineService,
  have: readonly string[],
  most = Infinity,
): Promise<SampleRecord[]> {
  const stop = new AbortController();
  const found: SampleRecord[] = [];
  const run = service.makeRecords(
    { ...ARGUMENT, have },
    {
      signal: stop.signal,
      onProgress: (event) => {
        if (event.kind !== "record") return;
        found.push(event.record as SampleRecord);
        if (found.length === most) stop.abort();
      },
    },
  );
  if (most === Infinity) expect(await run).toBe(found.length);
  else await expect(run).rejects.toThrow(Cancelled);
  return found;
}

/** The plan of an evaluation, whose header is one of an evaluation. */
async function planOf(service: EngineService, argument: EvaluationArgument) {
  const plan = await service.planRun(argument);
  return { ...plan, header: plan.header as EvaluationHeader };
}

const timeless = (sample: SampleRecord) => ({ ...sample, milliseconds: null });

it("cut off again and again, and continued in another worker, equals an undisturbed run record by record", async () => {
  const whole = await samplesOf(await started(), []);
  expect(whole).toHaveLength(2 * 2 * 3);
  const kept: SampleRecord[] = [];
  for (const most of rounds([5, Infinity], [1, 4, 2, Infinity])) {
    const service = await started();
    kept.push(
      ...(await samplesOf(
        service,
        kept.map(({ id }) => id),
        most,
      )),
    );
  }
  expect(kept.map(timeless)).toEqual(whole.map(timeless));
});

it("says before it begins what is run, what is left out and why, and where it is kept", async () => {
  const service = await started();
  const { header, ids, run } = await planOf(service, ARGUMENT);
  expect(ids).toHaveLength(12);
  expect(header.methods).toEqual(["ours", "ours-stored", "truncation"]);
  expect(header.leftOut["rag-reranked"]).toContain("a cross-encoder, which is chosen in the benchmark cell");
  expect(Object.keys(header.data)).toContain("babi/samples_qa1_test.jsonl.gz");
  const more = await planOf(service, { ...ARGUMENT, methods: ["latest"], samples: 5 });
  expect(more.run).toBe(run);
  expect((await planOf(service, { ...ARGUMENT, seed: 1 })).run).not.toBe(run);
  const file = (text: string) => ({
    ...ARGUMENT,
    benchmark: "table",
    tasks: [],
    lengths: [],
    files: [
      { name: "q.csv", file: new Blob(["question,gold\nWhere is Mary?,garden\n"]) },
      { name: "t.txt", file: new Blob([text]) },
    ],
  });
  const [a, b] = [
    await planOf(service, file("Mary is in the garden.")),
    await planOf(service, file("Mary left.")),
  ];
  expect(a.ids).toHaveLength(6);
  expect(a.run).not.toBe(b.run);
  await expect(planOf(service, { ...ARGUMENT, benchmark: "quiz" })).rejects.toThrow(
    'there is no benchmark "quiz"; there are babilong',
  );
  // What a notebook from elsewhere may ask for.
  for (const absurd of [
    { samples: 1e9 },
    { samples: 0.5 },
    { lengths: ["9".repeat(400)] },
    { lengths: Array.from({ length: 101 }, String) },
  ])
    await expect(planOf(service, { ...ARGUMENT, ...absurd })).rejects.toThrow("so choose fewer");
});

it("runs what needs a model once one is chosen, and leaves it out by name when it is taken away", async () => {
  const service = await started();
  const methods = ["rag-reranked", "llmlingua", "truncation"];
  const asked = { ...ARGUMENT, methods, samples: 1, variants: ["whole"] as const };
  const choice = (name: string): EmbedderChoice => ({
    from: { kind: "files", name },
    dtype: "fp32",
    device: "wasm",
  });
  const files = (own: ReadonlyMap<string, Uint8Array>) =>
    new Map([...own].map(([name, bytes]) => [name, new Blob([bytes.slice()])]));
  await service.chooseEmbedder({ choice: choice("tiny"), files: files(tinyEmbedder()) });
  const reranker = await service.chooseHelper({
    helper: "reranker",
    choice: choice("own"),
    files: files(tinyReranker()),
  });
  expect(reranker).toMatch(/^own #[0-9a-f]{16}$/);
  const compressor = await service.chooseHelper({
    helper: "compressor",
    choice: choice("own"),
    files: files(tinyCompressor()),
  });
  const planned = await planOf(service, asked);
  expect(planned.header).toMatchObject({ methods, leftOut: {}, reranker, compressor });
  const records: SampleRecord[] = [];
  await service.makeRecords(
    { ...asked, have: [] },
    { onProgress: (event) => event.kind === "record" && records.push(event.record as SampleRecord) },
  );
  expect(records.map(({ method, error }) => [method, error])).toEqual(
    methods.map((method) => [method, null]),
  );

  // What is no cross-encoder is refused before a run, and the former stays.
  for (const [own, problem] of [
    [tinyReranker(2), "expected one logit"],
    [tinyEmbedder(), "gave 0 values for 1 pairs"],
  ] as const)
    await expect(
      service.chooseHelper({ helper: "reranker", choice: choice("other"), files: files(own) }),
    ).rejects.toThrow(problem);
  await expect(service.chooseHelper({ helper: "reranker", choice: choice("gone") })).rejects.toThrow(
    'the files of the cross-encoder "gone" are not available',
  );
  expect((await planOf(service, asked)).header.reranker).toBe(reranker);
  await service.chooseHelper({ helper: "reranker", choice: null });
  const { header } = await planOf(service, asked);
  expect(header).toMatchObject({ methods: ["llmlingua", "truncation"], reranker: null, compressor });
  expect(header.leftOut["rag-reranked"]).toBe("a cross-encoder, which is chosen in the benchmark cell");
});

it("keeps a run sample by sample, and takes in what comes later", async () => {
  const database = openDatabase({ name: "evaluations service" });
  const library = createRunsService(() => database);
  const service = await started();
  const { header, run: id } = await planOf(service, { ...ARGUMENT, methods: ["truncation"] });
  await library.keepRun({ notebook: "n", id, header });
  const wider = (await planOf(service, ARGUMENT)).header;
  await library.keepRun({ notebook: "n", id, header: wider });
  const samples = await samplesOf(service, []);
  await library.keepRecords({ id, records: samples.slice(0, 3) });
  await library.keepRecords({ id, records: samples.slice(2).reverse() });
  const kept = (await library.loadEvaluation({ id }))!;
  expect(kept.header.methods).toEqual(["truncation", "ours", "ours-stored"]);
  expect(kept.samples.map((one) => one.id).toSorted()).toEqual(samples.map((one) => one.id).toSorted());
  expect(await library.keptRecords({ id })).toHaveLength(samples.length);
  // What failed is asked for again, and replaced.
  const [first] = samples;
  await library.keepRecords({ id, records: [{ ...first!, error: "runtime: the device was lost" }] });
  expect(await library.keptRecords({ id })).not.toContain(first!.id);
  await library.keepRecords({ id, records: [first!] });
  expect(await library.keptRecords({ id })).toHaveLength(samples.length);
  const listed = await library.runs({ notebook: "n" });
  expect(listed.map((one) => [one.id, one.records])).toEqual([[id, samples.length]]);
  const other = { ...header, key: "0", seed: 9 };
  await expect(library.keepRun({ notebook: "n", id, header: other })).rejects.toThrow("seed differ");
  expect(await library.loadEvaluation({ id: "none" })).toBeNull();
});
