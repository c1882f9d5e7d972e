/** @file Fills the weights of a model on its device: from the rounded copy beside its files, or from these themselves. */

import { levelBits } from "../lib/precision.ts";
import { fromFiles, type FilledWeights, type FillRequest } from "./weightsFromFiles.ts";

/** Fills all. @throws for what is wrong with the model's own files; what was filled is then freed */
export async function fillWeights(request: FillRequest): Promise<FilledWeights> {
  const { beside } = request.files;
  if (!beside || levelBits(request.form.precision) === undefined) return fromFiles(request);
  // Fetched when it is needed: the bundled model has no copy.
  const { fillWithCopy } = await import("./copiedWeights.ts");
  return fillWithCopy(request, beside);
}
