/** @file Forecasts are shared between those who ask for the same, and nothing else is. */

import { expect, it } from "vitest";
import { Cancelled } from "../../lib/assert.ts";
import { SHARP } from "../../records/params.ts";
import { createEngineService } from "../engineService.ts";
import { testHost } from "../testing/host.ts";

it("an estimate that is cancelled takes none with it that asks for the same", async () => {
  const host = testHost();
  const service = createEngineService(host);
  await service.open({ source: { kind: "bundled" }, backend: "auto" });
  const documents = [host.addText("story", "Mary moved to the garden. John went to the hallway.")];
  const argument = { memory: "m", documents, params: { ...SHARP, anchors: "rules" as const } };
  const control = new AbortController();
  const first = service.estimate(argument, { signal: control.signal });
  const second = service.estimate(argument);
  control.abort();
  await expect(first).rejects.toThrow(Cancelled);
  expect((await second).facts).toBe(2);
  await service.close(null);
});
