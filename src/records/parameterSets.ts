/** @file The parameter sets of a memory: entries may have been made by runs with different parameters. */

import type { EntryMeta, Memory } from "./memory.ts";
import { keyOf, type MethodParams } from "./params.ts";

interface Sets {
  readonly params: MethodParams;
  readonly earlier?: Memory["earlier"] | undefined;
}

/** `entries` of a memory with the sets `from` as entries of one with the sets `into`, and the `earlier` that it then needs. */
export function joining<E extends Pick<EntryMeta, "params">>(
  into: Sets,
  from: Sets,
  entries: readonly E[],
): Pick<Memory, "earlier"> & { readonly entries: readonly E[] } {
  const earlier = [...(into.earlier ?? [])];
  const places = new Map<number | undefined, number | undefined>();
  const joined = entries.map((entry): E => {
    const { params: place, ...rest } = entry;
    if (!places.has(place)) places.set(place, placeOf(into.params, earlier, paramsOfEntry(from, entry)));
    const now = places.get(place);
    if (now === place) return entry;
    return { ...rest, ...(now !== undefined && { params: now }) } as E;
  });
  return { entries: joined, ...(earlier.length > 0 && { earlier }) };
}

function paramsOfEntry(
  { params, earlier = [] }: Sets,
  { params: place }: Pick<EntryMeta, "params">,
): MethodParams {
  const set = place === undefined ? params : earlier[place];
  if (!set)
    throw new Error(
      `memory: an entry names earlier parameters ${place}, ${earlier.length} are kept; encode it again`,
    );
  return set;
}

/** Index of `made` in `earlier`, appending it if new. Undefined if it matches `current`. */
function placeOf(current: MethodParams, earlier: MethodParams[], made: MethodParams): number | undefined {
  const wanted = textOf(made);
  if (textOf(current) === wanted) return undefined;
  const known = earlier.findIndex((set) => textOf(set) === wanted);
  return known >= 0 ? known : earlier.push(made) - 1;
}

const textOf = (params: MethodParams): string =>
  keyOf(params, "candidates", "anchors", "budget", "layers", "encode");
