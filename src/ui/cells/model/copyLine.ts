/** @file What a person is told of the rounded copy of a model's weights. */

import type { CopyReport } from "../../../records/model.ts";
import { bytes } from "../../format.ts";

/** E.g. "Read from the copy in q8 that this browser keeps, 660 MB." */
export function copyLine({ from, bytes: size, problem }: CopyReport, precision: string): string {
  if (problem !== null)
    return `No copy in ${precision} is kept (${problem}): the next start reads and rounds the files again.`;
  if (from === "copy") return `Read from the copy in ${precision} that this browser keeps, ${bytes(size)}.`;
  const why = from === "files" ? "" : "The copy that was here was damaged. ";
  return `${why}A copy in ${precision} is kept, ${bytes(size)}: the next start reads that alone.`;
}
