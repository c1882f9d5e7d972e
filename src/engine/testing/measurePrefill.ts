/**
 * @file A process that reads a prompt of 8,192 tokens with a made model of 32 heads, and prints the bytes that this took
 * beyond those of the loaded model: the rise of the kernel's high-water mark (VmHWM). Run by prefillMemory.test.ts.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { createNodeDevice } from "../../../tools/node/nodeDevice.ts";
import { loadWeights } from "../loadWeights.ts";
import { generate } from "../greedy.ts";
import { Programs } from "../programs.ts";
import { Runner } from "../runner.ts";
import { folder, randomConfig, randomWeights } from "./models.ts";

const kilobytes = (name: string): number =>
  Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(readFileSync("/proc/self/status", "utf8"))![1]);

const TOKENS = 8192;
const config = {
  ...randomConfig("LlamaForCausalLM"),
  ...{ num_attention_heads: 32, num_key_value_heads: 8, head_dim: 16, num_hidden_layers: 2 },
  ...{ max_position_embeddings: 2 * TOKENS, vocab_size: 512 },
};
const device = await createNodeDevice({ backend: "cpu", threads: 2 });
const { decoder, weights } = await loadWeights(device, folder(config, randomWeights(config)));
const runner = new Runner(new Programs(device, decoder, weights));
const options = { maxTokens: 2, endTokens: new Set<number>() };
// The sessions are part of the loaded model.
await generate(runner, [[1, 2, 3, 4]], options);
const pieces: number[] = [];
const forward = runner.forward.bind(runner);
runner.forward = (role, feeds, signal) => {
  pieces.push(Number(feeds["ids"]!.dims[1]));
  return forward(role, feeds, signal);
};
writeFileSync("/proc/self/clear_refs", "5");
const before = kilobytes("VmRSS");
const prompt = Array.from({ length: TOKENS }, (_, i) => (i * 7) % 500);
const [said] = await generate(runner, [prompt], options);
const bytes = 1024 * (kilobytes("VmHWM") - before);
console.log(
  JSON.stringify({ bytes, said: said!.length, pieces: pieces.length, longest: Math.max(...pieces) }),
);
process.exit(0);
