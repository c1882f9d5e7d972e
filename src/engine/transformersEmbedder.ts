/** @file An embedding model of transformers.js, tested before use: quantised ones may be silently wrong (its issue 1728). */

import { throwIfCancelled } from "../lib/assert.ts";
import { embedderName } from "../records/embedder.ts";
import {
  calibratedFloor,
  MADE_ANSWERS,
  MADE_QUESTIONS,
  pairCosines,
  toldApart,
  type Embedder,
} from "./embed.ts";
import { byLength } from "./runner.ts";
import {
  floatsOf,
  openTransformers,
  weightsOf,
  type Output,
  type TransformersSource,
} from "./transformersFiles.ts";

interface EmbedderUse {
  readonly pooling: "cls" | "mean" | "last_token";
  readonly query: string;
  readonly passage: string;
}

const E5_TASK = "Given a question, retrieve passages that answer it";

/** How known models are used, by name, as their model cards document it; the first match counts. */
const KNOWN: readonly (readonly [name: RegExp, EmbedderUse["pooling"], query?: string, passage?: string])[] =
  [
    [/bge-m3/i, "cls"],
    [/bge-(?:small|base|large)-zh/i, "cls", "为这个句子生成表示以用于检索相关文章："],
    [/bge-(?:small|base|large)-en/i, "cls", "Represent this sentence for searching relevant passages: "],
    [/e5-(?:small|base|large)-instruct/i, "mean", `Instruct: ${E5_TASK}\nQuery: `],
    [/e5-(?:small|base|large)/i, "mean", "query: ", "passage: "],
    [/qwen3-embedding/i, "last_token", `Instruct: ${E5_TASK}\nQuery:`],
    [/gte-(?:base|large)-en-v1\.5|gte-multilingual|gte-modernbert/i, "cls"],
    [/gte-(?:small|base|large)|all-minilm|all-mpnet|multi-qa|paraphrase-/i, "mean"],
  ];

/** How a model is used; an unknown one by its mean state and without prefixes, as most are. */
export const useOf = (model: string): EmbedderUse & { readonly known: boolean } => {
  const found = KNOWN.find(([name]) => name.test(model));
  const [, pooling = "mean", query = "", passage = ""] = found ?? [];
  return { pooling, query, passage, known: found !== undefined };
};

type Extract = ((
  texts: string[],
  options: { pooling: EmbedderUse["pooling"]; normalize: boolean },
) => Promise<Output>) & { dispose(): Promise<unknown> };

const BATCH = 16;

/** Opens the embedder and tries it. @throws if it cannot be opened, extracts no features, or does not tell made pairs apart */
export async function transformersEmbedder(
  options: TransformersSource & { readonly onOpened?: () => void },
): Promise<Embedder> {
  const { model, dtype = "fp32", signal } = options;
  const { pooling, query, passage } = useOf(model);
  const { opened: extract, hashes } = await openTransformers<Extract>(
    "embedding model",
    options,
    ({ pipeline }, name, settings) => pipeline("feature-extraction", name, settings),
  );
  options.onOpened?.();
  const embed = (prefix: string, texts: readonly string[], stop?: AbortSignal): Promise<Float32Array[]> =>
    byLength(
      texts.map((text) => `${prefix}${text}`),
      BATCH,
      async (batch) => {
        throwIfCancelled(stop, `engine: embedding by ${model}`);
        const output = await extract([...batch], { pooling, normalize: true });
        const expected = `${batch.length} texts; expected a float32 row for each`;
        const data = floatsOf("embedding model", output, [batch.length], expected);
        const width = data.length / batch.length;
        return batch.map((_, i) => data.slice(i * width, (i + 1) * width));
      },
    );
  const prefixed = query + passage !== "";
  const name = embedderName(model, { pooling, prefixed, dtype, weights: weightsOf(options, hashes) });
  const on = options.sharedDevice ?? options.device;
  try {
    const questions = await embed(query, MADE_QUESTIONS, signal);
    const cosines = pairCosines(questions, await embed(passage, MADE_ANSWERS, signal));
    checkTried(`${name}${on === undefined ? "" : ` on ${on}`}`, cosines);
    return {
      name,
      identity: options.files ? JSON.stringify([name, on ?? null, [...hashes].sort()]) : null,
      denseFloor: calibratedFloor(cosines),
      embed: (texts, stop) => embed(passage, texts, stop),
      embedQuestion: async (question, stop) => (await embed(query, [question], stop))[0]!,
      dispose: async () => void (await extract.dispose()),
    };
  } catch (error) {
    await extract.dispose();
    throw error;
  }
}

function checkTried(name: string, cosines: readonly (readonly number[])[]): void {
  const least = Math.ceil(cosines.length / 2);
  const finite = cosines.flat().every(Number.isFinite);
  const told = finite ? toldApart(cosines) : 0;
  if (told < least)
    throw new Error(
      `engine: ${name} failed its self-test: ${finite ? `${told} of ${cosines.length} made questions were nearest to their answer` : "its vectors hold NaN or infinity"}, ` +
        `at least ${least} are expected. Choose more exact weights (fp32), another device, or another model.`,
    );
}
