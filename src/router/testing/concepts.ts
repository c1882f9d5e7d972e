/** @file A small honest embedding for tests: words count along the axes of their meanings. */

import type { Embed } from "../documents.ts";

/** Words of one line share an axis. */
const AXES = [
  "milk drink beverage",
  "football ball",
  "apple fruit",
  "kitchen cook",
  "garden outdoors lawn",
  "office",
  "hallway",
  "bedroom",
  "bathroom",
  "vegan meat diet steak",
  "paris france eiffel louvre",
  "doctor physician medical",
  "moved went travelled journeyed go going",
  "got took grabbed picked carrying has holds",
  "gave handed passed received give",
].map((line) => line.split(" "));

/** [text] -> [axes + names]: known words on their axis, any other capitalised word on an axis of its own hash. */
export const conceptEmbed: Embed = async (texts) => texts.map(conceptVector);

export function conceptVector(text: string): Float32Array {
  const vector = new Float32Array(AXES.length + NAME_AXES);
  for (const word of text.match(/\p{L}+/gu) ?? []) {
    const axis = AXES.findIndex((words) => words.includes(word.toLowerCase()));
    if (axis >= 0) vector[axis]! += 1;
    else if (/^\p{Lu}/u.test(word) && !ASKING.test(word))
      vector[AXES.length + (hash(word) % NAME_AXES)]! += 1;
  }
  return vector;
}

function hash(word: string): number {
  return [...word].reduce((sum, c) => (sum * 31 + c.charCodeAt(0)) >>> 0, 7);
}

const NAME_AXES = 101;
const ASKING = /^(?:who|what|where|when|which|the|is|how)$/i;
