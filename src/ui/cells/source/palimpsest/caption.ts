/** @file What the picture of a forgotten text shows, and what of the text is kept. */

import type { FactId } from "../../../../records/ids.ts";
import type { FactRow } from "../../../../records/notebook.ts";
import { count, counted } from "../../../format.ts";

/**
 * `saved`: the facts are those of a saved run, and not in this browser's memory yet. `changed`: those that were given
 * other words than the text had.
 */
export function captionOf(
  facts: readonly FactRow[],
  characters: number,
  saved: boolean,
  changed: ReadonlyMap<FactId, string> = new Map(),
): string {
  if (facts.length === 0)
    return `The text is not kept in this browser, and the memory holds nothing of it: ${counted(characters, "character")} that nobody can read here.`;
  const says = saved ? "in the saved run the model said" : "the model says";
  const exact = facts.filter((fact) => fact.exact).length;
  const wordless = facts.every(({ value }) => value === null);
  if (wordless)
    return (
      `The text was thrown away, and no sentence of it is kept in words. What you can read is what ${says} ` +
      `from its vectors: ${counted(facts.length, "sentence")}, each where it stood among ${counted(characters, "character")}.`
    );
  const kept = facts.reduce((sum, { value }) => sum + (value?.length ?? 0), 0);
  return (
    `The text was thrown away. Of its ${counted(characters, "character")} the routing index keeps ${count(kept)} in words, ` +
    `${counted(facts.length, "sentence")}; ${says} ${saidExactly(exact, facts.length)} word for word from its vectors. ` +
    (changed.size === 0
      ? ""
      : `${counted(changed.size, "of them was changed by hand, and says", "of them were changed by hand, and say")} something else than the text did. `) +
    `Set the index to “wordless” before memorising, and it keeps none.`
  );
}

function saidExactly(exact: number, all: number): string {
  if (exact === all) return all === 1 ? "it" : "each of them";
  return all === 1 ? "it, but not" : exact === 0 ? "none of them" : `${count(exact)} of them`;
}
