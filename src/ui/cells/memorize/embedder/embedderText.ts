/** @file A text embedder in use, and that of a memory, in words. */

import type { EmbedderReady } from "../../../../records/embedder.ts";
import { choiceNamed } from "../../../../records/embedderName.ts";
import { choiceText } from "./choiceText.ts";

/** What a memory was indexed by, as the page calls it. */
export function indexedByText(name: string): string {
  const choice = choiceNamed(name);
  return choice === undefined ? `“${name}”` : choiceText(choice);
}

/** From which likeness on texts count as near. */
export function floorSentence({ denseFloor }: EmbedderReady): string {
  if (denseFloor === null) return "Its floor of likeness is calibrated when it embeds its first text.";
  if (denseFloor > 1)
    return "It cannot tell half of the made pairs apart, so its likeness counts only beside shared words.";
  return `Calibrated on made pairs: two texts count as near from a cosine of ${denseFloor.toFixed(2)} on.`;
}
