/** @file The engine worker: wiring only. The engine itself is fetched when something beyond a survey is asked of it. */

import { deadlineOver } from "../src/rpc/deadline.ts";
import { serve } from "../src/rpc/serve.ts";
import type { EngineService } from "../src/service/engineService.ts";
import type { Port } from "../src/rpc/wire.ts";
import { surveyBrowser, surveySummary } from "../src/runtime/capabilities.ts";

const port = globalThis as unknown as Port;
const early = { survey: async () => surveySummary(await surveyBrowser()) };

let engine: Promise<EngineService> | undefined;
const loaded = Promise.withResolvers<EngineService>();

async function load(): Promise<EngineService> {
  const { startEngine } = await import("../src/service/engineBrowser.ts");
  const started = startEngine(deadlineOver(port));
  loaded.resolve(started);
  return started;
}

serve<EngineService>(port, (method) => {
  if (method in early) return Promise.resolve(early);
  // Nothing happens on a device before the engine is there: listening alone does not fetch it.
  if (method === "events") return loaded.promise;
  engine ??= load().catch((error: unknown) => {
    engine = undefined; // the next call tries again
    throw error;
  });
  return engine;
});
