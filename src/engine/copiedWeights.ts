/** @file Fills a model's weights from the rounded copy next to its files, or from the files while a copy is written. */

import { levelBits, type Precision } from "../lib/precision.ts";
import { assert } from "../lib/assert.ts";
import type { Beside } from "../weights/modelFiles.ts";
import type { CopyPrecision } from "../weights/copyName.ts";
import { DamagedCopy, openCopy, type RoundedCopy, RoundedCopyWriter } from "../weights/roundedCopy.ts";
import { filling, fromFiles, type FilledWeights, type FillRequest } from "./weightsFromFiles.ts";

/** Fills all weights; a damaged copy is replaced. @throws if the model's own files are wrong */
export async function fillWithCopy(request: FillRequest, beside: Beside): Promise<FilledWeights> {
  const { precision } = request.form;
  assert(isCopied(precision), () => `engine: no copies are kept in ${precision}; q8 or q4 is expected`);
  const copy = await openCopy(beside, precision, request.shapes);
  if (!copy) return copying(request, beside, precision, "files");
  try {
    return await fromCopy(request, copy);
  } catch (error) {
    if (!(error instanceof DamagedCopy)) throw error;
    return await copying(request, beside, precision, "files, since the copy was damaged");
  } finally {
    await copy.close();
  }
}

const isCopied = (precision: Precision): precision is CopyPrecision => levelBits(precision) !== undefined;

const fromCopy = (request: FillRequest, copy: RoundedCopy): Promise<FilledWeights> =>
  filling(request, copy.bytes, async (target, staging, steps) => {
    for (const tensor of copy.tensors) {
      const sink = target(tensor.name, tensor.shape);
      const options = steps(tensor.name);
      await (sink.kind === "blocks"
        ? copy.matrix(tensor, staging, options, sink.take)
        : copy.vector(tensor, staging, options, sink.target));
    }
    return { sha256: copy.sha256, copy: { from: "copy", bytes: copy.bytes, problem: null } };
  });

async function copying(
  request: FillRequest,
  beside: Beside,
  precision: CopyPrecision,
  from: "files" | "files, since the copy was damaged",
): Promise<FilledWeights> {
  const copy = await RoundedCopyWriter.begin(beside, precision, request.shapes);
  try {
    return await fromFiles(request, copy, from);
  } catch (error) {
    await copy.abandon("the model could not be loaded");
    throw error;
  }
}
