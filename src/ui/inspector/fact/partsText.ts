/** @file What the fact panel says of a fact that is stored in parts. */

import type { FactRow } from "../../../records/notebook.ts";
import { count, counted } from "../../format.ts";

type Parted = Pick<FactRow, "parts" | "tokens">;

/** How a fact is stored; null where one vector holds it, of which there is nothing to say. */
export const storedIn = ({ parts }: Parted): string | null =>
  parts ? `in ${counted(parts.length, "part")}, a vector each` : null;

/** Steps of the vectors that stand, and apart from them those of tries that were given up, as far as they were counted. */
export const stepsText = ({ steps, givenUp = 0 }: Pick<FactRow, "steps" | "givenUp">): string =>
  givenUp === 0 ? count(steps) : `${count(steps)}, and ${count(givenUp)} of tries that were given up`;

/** What a section says that shows the first part alone; null where one vector holds the fact. */
export const firstPartOnly = ({ parts, tokens }: Parted, shown: string): string | null =>
  parts
    ? `Part 1 of ${count(parts.length)}: ${shown} of the first ${count(parts[0]!.tokens)} of ${counted(tokens, "token")}. The other parts have keys of their own and are recalled beside it.`
    : null;
