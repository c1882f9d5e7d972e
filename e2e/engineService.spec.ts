/** @file The engine worker as the page uses it: opening, memorising, asking and deleting through the protocol. */
import { SHARP } from "../src/records/params.ts";
import { HUB, playedFile, playHub, REPO } from "./support/playedHub.ts";
import { expect, test } from "./support/test.ts";
import { steerable } from "../src/memory/testing/steerable.ts";
import { tinyModel } from "./support/tinyModel.ts";
import type { EngineChecks } from "./workers/engineService.worker.ts";

test("the bundled model is inspected, opened, and stores, answers and deletes facts @thorough", async ({
  backend,
  worker,
}) => {
  test.skip(backend === "webgpu", "7.3 million parameters take minutes on software WebGPU");
  test.setTimeout(180_000);
  const call = await worker<EngineChecks>("engineService");
  const source = { kind: "bundled" } as const;
  const listing = await call("inspect", { source });
  expect(listing.architecture).toBe("Qwen3ForCausalLM");
  expect(listing.files.map(({ name }) => name)).toContain("model.safetensors");
  expect(listing.bytes).toBeGreaterThan(10_000_000);
  expect(listing.precisions[0]!.fit.map(({ verdict }) => verdict)).toEqual(["fits"]);

  const { ready, stages } = await call("open", { source, backend: "auto" });
  expect(stages).toEqual(["self-test", "weights"]);
  expect(ready.device.backend).toBe("wasm");
  expect(ready.device.selfTest.verdict).toBe("pass");
  expect(ready.device.webgpuMissing?.next).toMatch(/wasm backend/);

  const memory = "journey";
  const text = "Sandra journeyed to the kitchen. John went to the hallway. Mary moved to the garden.";
  const made = await call("memorize", {
    memory,
    text,
    params: { ...SHARP, anchors: "rules", ranking: "anchors" },
    layers: [3, 4],
  });
  expect(made.summary).toMatchObject({ encoded: 3, exact: 3, total: 3, fidelity: 1 });
  expect(made.stages).toEqual(["read", "anchors", "budget", "encode"]);

  const sandra = await call("ask", { memory, question: "Where is Sandra?" });
  expect(sandra.recalled.map((fact) => fact.text)).toEqual(["Sandra journeyed to the kitchen."]);
  const mary = (await call("ask", { memory, question: "Where is Mary?" })).recalled;
  const { certificate, renamed } = await call("forget", { memory, ids: mary.map(({ id }) => id) });
  expect(certificate.before[0]!.text).toBe("Mary moved to the garden.");
  expect(certificate.after[0]!.text).not.toBe("Mary moved to the garden.");
  expect([certificate.compared, certificate.changed]).toEqual([2, 0]);
  const again = await call("recall", { memory, ids: sandra.recalled.map(({ id }) => renamed.get(id)!) });
  expect(again.map(({ tokens }) => tokens)).toEqual(sandra.recalled.map(({ tokens }) => tokens));
  expect(await call("close")).toBeNull();
});

test("what the machine has is known before anything is opened", async ({ backend, worker }) => {
  const survey = await (await worker<EngineChecks>("engineService"))("survey");
  expect(survey.webgpu === null).toBe(backend === "wasm");
  expect(survey.crossOriginIsolated).toBe(true);
});

test("dropped files are opened on the best backend there is, with the self-test passing @thorough", async ({
  backend,
  worker,
}) => {
  test.skip(backend === "webgpu", "app.webgpu.spec.ts does the same from the page, and opening takes long");
  test.setTimeout(180_000);
  const call = await worker<EngineChecks>("engineService");
  const source = { kind: "files", name: "tiny" } as const;
  const { ready } = await call("open", { source, backend: "auto", files: tinyModel() });
  expect([ready.device.backend, ready.device.selfTest.verdict]).toEqual(["wasm", "pass"]);
  expect(ready.device.webgpuMissing).not.toBeNull();
  expect(ready.ledger.bytes["weights"]).toBeGreaterThan(200_000);

  const memory = "tiny";
  const { summary } = await call("memorize", {
    memory,
    text: "Ann ran. Bob sat.",
    params: { anchors: "rules", steps: 3, refine: 0, answerTokens: 3, questionsPerFact: 1 },
    // Given, so that no probe runs.
    layers: [1, 2],
  });
  expect([summary.encoded, summary.total, summary.layers]).toEqual([2, 2, [1, 2]]);
  const { recalled } = await call("ask", { memory, question: "Where is Bob?" });
  expect(recalled.length).toBeGreaterThan(0);
  const { certificate } = await call("forget", { memory, ids: [recalled[0]!.id] });
  expect([certificate.compared, certificate.changed]).toEqual([1, 0]);
  await call("close");
});

test.describe("a model of the Hub", () => {
  test.use({ allowedRequests: HUB });

  // Biases (Qwen2.5), grouped heads without norms (Mistral), half of each head rotated by longrope (Phi-4-mini).
  for (const family of ["Qwen2ForCausalLM", "MistralForCausalLM", "Phi3ForCausalLM"] as const)
    test(`of the kind ${family} is opened, memorises two facts and says them @thorough`, async ({
      worker,
      workerPages,
    }) => {
      test.setTimeout(600_000);
      const files = Object.entries(await steerable(family)).map(
        ([name, bytes]) => [name, playedFile(Buffer.from(bytes))] as const,
      );
      await workerPages.context.route(HUB, playHub(new Map(files)));
      const call = await worker<EngineChecks>("engineService");
      const source = { kind: "hub", repo: REPO, revision: "main" } as const;
      expect((await call("inspect", { source })).architecture).toBe(family);
      const { ready } = await call("open", { source, backend: "auto" });
      expect(ready.device.selfTest.verdict).toBe("pass");
      const memory = family;
      const { summary } = await call("memorize", {
        memory,
        text: "Mary visited the garden. John sold the tower.",
        params: { anchors: "rules", answerTokens: 3, questionsPerFact: 1 },
        layers: [1, 2],
      });
      expect(summary).toMatchObject({ encoded: 2, exact: 2, total: 2 });
      const { recalled } = await call("ask", { memory, question: "What has John sold?" });
      expect(recalled.map(({ text }) => text)).toContain("John sold the tower.");
      await call("removeCachedModel", { repo: REPO, revision: "main" });
      await call("close");
      await workerPages.context.unrouteAll();
    });
});
