/** @file What is asked of a Hub before a model that cannot be opened is refused. */

import { expect, it } from "vitest";
import { randomConfig } from "../../engine/testing/models.ts";
import { createHub } from "../../hub/hub.ts";
import { hubServer } from "../../hub/testing/hubServer.ts";
import { memoryCache } from "../../hub/testing/memoryCache.ts";
import { modelConfig } from "./source.ts";

const SOURCE = { kind: "hub", repo: "someone/tiny", revision: "main" } as const;
const bytes = (text: string) => new TextEncoder().encode(text);

it.each([
  ["weights in GPTQ", { quantization_config: { quant_method: "gptq" } }, "quantised already (gptq)"],
  ["another architecture", { architectures: ["MambaForCausalLM"] }, "MambaForCausalLM"],
])(
  "a repository with %s is refused by its config, and nothing else of it is fetched",
  async (_, change, message) => {
    const config = { ...randomConfig("Qwen3ForCausalLM"), ...change };
    const server = await hubServer(
      SOURCE.repo,
      new Map([
        ["config.json", bytes(JSON.stringify(config))],
        ["model.safetensors", bytes("weights that nobody reads")],
      ]),
    );
    const hub = createHub({ cache: memoryCache(), fetch: server.fetch, retryMs: 1 });
    const bundled = () => expect.unreachable();
    try {
      await expect(modelConfig({ hub, bundled }, { source: SOURCE })).rejects.toThrow(message);
      expect(server.requests.map(({ name }) => name)).toEqual(["config.json"]);
      expect(await hub.cached()).toEqual([]);
    } finally {
      await server.close();
    }
  },
);
