/**
 * @file What a memory from elsewhere may say of its entries: what its model can hold, and what the rest of it bears out.
 * A number that nothing made would not harm its own fact alone: all facts of a layer are compared, and asked, together.
 */

import { norm } from "../lib/vector.ts";
import { byFact, tiledTokens, type EntryMeta, type Memory, type MemoryEntry } from "../records/memory.ts";

type ImportedHead = Pick<Memory, "model" | "earlier" | "layers" | "centres">;

/** Checks a memory whole. @throws naming the first thing that is wrong */
export function checkImported(memory: ImportedHead & Pick<Memory, "entries">): void {
  checkImportedHead(memory);
  checkImportedFacts(memory.entries, memory);
  checkUnitKeys(memory.entries);
}

/** Checks storage layers and centres. */
export function checkImportedHead({ model, layers, centres = [] }: ImportedHead): void {
  for (const layer of [...layers, ...centres.map((one) => one.layer)])
    if (layer >= model.layers)
      throw new Error(
        `a storage layer or key centre is of layer ${layer}, the model has ${model.layers} layers`,
      );
  for (const { layer, vector } of centres)
    if (vector.length !== model.dFf)
      throw new Error(
        `the key centre of layer ${layer} has ${vector.length} values, but dFf of the model is ${model.dFf}`,
      );
}

/** What is looked at of a part beside the others of its fact. */
export interface ImportedPart extends Pick<EntryMeta, "id" | "start" | "layer" | "tokens" | "params"> {
  readonly report: Pick<EntryMeta["report"], "respelt">;
}

/** That alone of an entry, which may go by with its vectors. */
export const partOf = ({
  id,
  start,
  layer,
  tokens,
  params,
  report: { respelt },
}: MemoryEntry): ImportedPart => ({
  ...{ id, start, layer, tokens, report: respelt ? { respelt } : {} },
  ...(params !== undefined && { params }),
});

/** Checks what is said of whole facts: all entries of each together. */
export function checkImportedFacts(
  entries: readonly ImportedPart[],
  { model, earlier = [] }: Pick<ImportedHead, "model" | "earlier">,
): void {
  for (const { id, layer, tokens, params } of entries) {
    if (params !== undefined && params >= earlier.length)
      throw new Error(
        `fact "${id}" names earlier parameters ${params}, ${earlier.length} sets of them are there`,
      );
    if (tokens < 1 || tokens > model.window || layer >= model.layers)
      throw new Error(
        `fact "${id}" has ${tokens} tokens at layer ${layer}; 1 to ${model.window} at a layer below ${model.layers} are expected`,
      );
  }
  for (const parts of byFact(entries))
    if (tiledTokens(parts) === null)
      throw new Error(
        `the parts of fact "${parts[0]!.id}" begin at tokens ${parts.map(({ start }) => start).join(", ")}; each is expected where the one before it ends, the first at 0`,
      );
}

/** Rounded to levels or to float32, a key's length is 1 but for far less. */
const LENGTH_ERROR = 1e-3;

/** A longer key would win every comparison of its layer, whatever is asked. */
export function checkUnitKeys(entries: readonly Pick<MemoryEntry, "id" | "key">[]): void {
  for (const { id, key } of entries) {
    const length = norm(key);
    if (!(Math.abs(length - 1) <= LENGTH_ERROR))
      throw new Error(`the key of fact "${id}" has length ${length}; a unit vector is expected`);
  }
}
