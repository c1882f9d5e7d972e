/** @file The sentences that are encoded: bAbI where the data is at hand, or made ones that ship with the benchmark. */

/** Too long for one vector of the bundled model, as an example of a failed recall. */
export const TOO_LONG =
  "In the summer of 1911 the harbour master's youngest daughter, who had never once been allowed to touch the great " +
  "brass clock above the customs house, climbed up alone at night and set it right by the light of a borrowed lantern.";

/** Invented, of the forms the method meets: names, places, numbers, identifiers, relations without names. */
export const MADE_SENTENCES: readonly string[] = [
  "Mirela carried the lantern to the harbor.",
  "The archive is north of the chapel.",
  "Osric sold 14 barrels of oil to the miller.",
  "The code of the old gate is KX-204.",
  "Tamsin gave the silver key to her brother.",
  "The bridge at Oldmoor was built in 1731.",
  "Edric works as a baker in Lyon.",
  "Project Heron ended in March.",
  "Jonas left the map in the kitchen.",
  "The clinic opens at 9 in the morning.",
  "Farid is afraid of wolves.",
  "The train to Basel leaves from track 12.",
  "Lena moved back to the garden.",
  "The red boat belongs to Captain Ruiz.",
  "Amos picked up the football there.",
  "The museum is west of the station.",
  "Nadia cannot eat peanuts.",
  "The Harrow Company was founded in 1894.",
  "Silas took the apple to the hallway.",
  "Bruno dropped the milk in the bathroom.",
  "The ferry to Larne leaves at 7.",
  "Wanda paid 250 francs for the clock.",
  "The password of the printer is tulip-88.",
  "Henrik is the cousin of Astrid.",
  "The bakery is south of the fountain.",
  "Ilse travelled to the office.",
  "Doctor Vane lives in the white house.",
  "The choir meets every Thursday.",
  "Pavel handed the letter to Greta.",
  "Lake Orrin is 90 meters deep.",
  "Miriam speaks four languages.",
  "The well is east of the barn.",
];

/** Where the sentences come from: the bAbI test samples, the made ones, or half of each. */
export type Source = "babi" | "made" | "both";

/** Sentences of the run and where they come from. */
export interface Picked {
  readonly sentences: readonly string[];
  readonly babi: number;
  readonly made: number;
  /** Of a novel; absent without one. */
  readonly prose?: number;
}

/**
 * Picks `count` distinct sentences; those of `babi` (one list per task) are taken from the tasks in turn. The same
 * arguments give the same sentences.
 * @throws when there are not enough
 */
export function pickSentences(babi: readonly (readonly string[])[], source: Source, count: number): Picked {
  const real = source === "made" ? [] : interleaved(babi);
  const made = source === "babi" ? [] : MADE_SENTENCES;
  const fromBabi = source === "both" ? Math.ceil(count / 2) : source === "babi" ? count : 0;
  const fromMade = count - fromBabi;
  if (fromBabi > real.length || fromMade > made.length)
    throw new Error(
      `bench: ${count} sentences of source "${source}" are asked for, there are ${real.length} of bAbI and ${made.length} made ones; lower --facts`,
    );
  const sentences = [...real.slice(0, fromBabi), ...made.slice(0, fromMade)];
  return { sentences, babi: fromBabi, made: fromMade };
}

/** One of each list in turn, without repeats. */
function interleaved(lists: readonly (readonly string[])[]): string[] {
  const distinct = lists.map((list) => [...new Set(list)]);
  const longest = Math.max(0, ...distinct.map((list) => list.length));
  const turns = Array.from({ length: longest }, (_, i) => distinct.flatMap((list) => list[i] ?? []));
  return [...new Set(turns.flat())];
}
