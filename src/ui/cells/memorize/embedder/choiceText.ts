/** @file A chosen text embedder in words. */

import type { EmbedderChoice } from "../../../../records/embedder.ts";

/** E.g. "Xenova/bge-small-en-v1.5 (q8)". */
export function choiceText(choice: EmbedderChoice | null): string {
  if (!choice) return "the model itself";
  const { from, dtype } = choice;
  if (from.kind === "files") return `${from.name || "files"} (${dtype})`;
  return `${from.repo}${from.revision === "main" ? "" : ` at ${from.revision}`} (${dtype})`;
}
