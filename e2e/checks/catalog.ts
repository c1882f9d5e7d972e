/** @file Creates a session for every graph of the engine on WebGPU, where a node without a kernel is refused. */
import { catalog } from "../../tools/checks/catalog.ts";
import { toOnnx } from "../../src/graph/emit/onnx.ts";
import { parseConfig } from "../../src/graph/models/config.ts";
import { familyOf } from "../../src/graph/models/families.ts";
import { openDevice } from "../support/devices.ts";

const SMALL = {
  vocab_size: 64,
  hidden_size: 32,
  intermediate_size: 48,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  max_position_embeddings: 128,
  rms_norm_eps: 1e-6,
  tie_word_embeddings: true,
  eos_token_id: 0,
};

export const catalogChecks = {
  /** What was refused, by graph, and how many graphs there were. */
  catalog: async (architecture: string): Promise<{ refused: readonly string[]; count: number }> => {
    const config = parseConfig({ ...SMALL, architectures: [architecture] });
    const model = { config, family: familyOf(architecture) };
    const adam = { beta1: 0.9, beta2: 0.999 };
    const programs = catalog({ layers: [0, config.layers - 1], encodeBatch: 4, suffix: 3, ...adam });
    const device = await openDevice("webgpu");
    const refused: string[] = [];
    for (const { name, build } of programs) {
      const graph = build(model);
      // There is no Loop on WebGPU, and the engine asks for none there.
      if (graph.rounds) continue;
      const bytes = toOnnx(graph);
      await device.createSession(bytes, { name, weights: {} }).then(
        (session) => session.release(),
        (error: unknown) => refused.push((error as Error).message),
      );
    }
    await device.dispose();
    return { refused, count: programs.length };
  },
} as const;
