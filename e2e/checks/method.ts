/** @file The whole method in a browser worker: a model from files or from our own origin, then both phases. */
import { openEngine } from "../../src/engine/localEngine.ts";
import prompts from "../../src/records/prompts.json" with { type: "json" };
import { fill } from "../../src/lib/format.ts";
import { blobModelFiles, urlModelFiles } from "../../src/weights/modelFiles.ts";
import { runMethod, type MethodInput, type MethodSummary } from "../support/method.ts";
import { blobs } from "../support/blobs.ts";
import { openDevice } from "../support/devices.ts";
import type { Backend } from "../support/test.ts";

export interface MethodRun {
  readonly backend: Backend;
  /** A folder on our origin, or file contents in base64. */
  readonly model: string | Readonly<Record<string, string>>;
  readonly input: MethodInput;
}

export const methodChecks = {
  method: async ({
    backend,
    model,
    input,
  }: MethodRun): Promise<{ summary: MethodSummary; bytesLeft: number }> => {
    const device = await openDevice(backend);
    const files = typeof model === "string" ? urlModelFiles(model) : blobModelFiles("model", blobs(model));
    const engine = await openEngine(device, files);
    const summary = await runMethod(engine, input);
    await engine.dispose();
    const bytesLeft = device.ledger.total;
    await device.dispose();
    return { summary, bytesLeft };
  },
  /** Tokens a second of a long greedy reply, its prompt's reading left out. */
  decode: async ({ backend, model }: { readonly backend: Backend; readonly model: string }) => {
    const device = await openDevice(backend);
    const engine = await openEngine(device, urlModelFiles(model));
    const sentences = [
      "Mary moved to the garden.",
      "John went to the kitchen.",
      "Sandra took the football there.",
    ];
    const lines = [...sentences, ...sentences, ...sentences, ...sentences].map(
      (text, i) => `${i + 1}. ${text}`,
    );
    const turn = fill(prompts.anchors, { lines: lines.join("\n") });
    const timed = async (maxTokens: number) => {
      const started = performance.now();
      const [reply] = await engine.generate([turn], { maxTokens });
      return { tokens: engine.encode(reply!).length, seconds: (performance.now() - started) / 1000 };
    };
    await timed(2);
    const [first, all] = [await timed(1), await timed(200)];
    await engine.dispose();
    await device.dispose();
    return {
      tokens: all.tokens - first.tokens,
      perSecond: (all.tokens - first.tokens) / (all.seconds - first.seconds),
    };
  },
} as const;
