/** @file What a memorise cell may be given beside its parameters: put in, or with null taken out. */

import type { EmbedderChoice } from "../records/embedder.ts";
import type { LayerIndex } from "../records/ids.ts";
import type { MemorizeCell } from "../records/notebook.ts";

type Input = MemorizeCell["input"];

/** Storage layers of a probe cell; null: the run probes them itself. */
export const withLayers = (
  { params, embedder }: Input,
  layers: readonly LayerIndex[] | null | undefined,
): Input => ({
  params,
  ...(layers ? { layers } : {}),
  ...(embedder ? { embedder } : {}),
});

/** Another text embedder; null: the model's own states. */
export const withEmbedder = ({ params, layers }: Input, embedder: EmbedderChoice | null): Input => ({
  params,
  ...(layers ? { layers } : {}),
  ...(embedder ? { embedder } : {}),
});
