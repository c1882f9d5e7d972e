/**
 * @file The store on a folder of files. A change writes new files beside the old ones, then renames the manifest,
 * then removes what no manifest counts on: whenever it stops, the folder holds the old memory or the new one.
 */

import { savedParams } from "../records/params.ts";
import { keptMemory, type KeptMemory } from "../records/vectors.ts";
import { byFact, countFacts, vectorBytes, type Memory, type MemoryEntry } from "../records/memory.ts";
import { checkBatch, checkRemoval, headWith, leaving, nothingSaved, touches, withBatches } from "./batch.ts";
import type { Folder } from "./folder.ts";
import { piecesOf, wholeOf, type Pieces } from "./pieces.ts";
import { checkImported } from "./imported.ts";
import {
  damage,
  emptyManifest,
  filesOf,
  formatOf,
  isStoreFile,
  readManifest,
  writeManifest,
} from "./manifest.ts";
import type { Manifest, Segment } from "./manifest.ts";
import { StoreFull, type MemoryBatch, type Removal, type Store } from "./port.ts";
import { readNames, readSegment, verifySegment, writeSegment, type SegmentNames } from "./segment.ts";

/** A store on `folder`; `app` is this app's version, kept in the manifest. */
export function folderStore(folder: Folder, app: string): Store {
  return new FolderStore(folder, app);
}

/** Bytes of vectors in a segment of a tidied memory: a deletion writes those anew that hold what goes. */
const TIDY_BYTES = 16 * 2 ** 20;
/** Segments that a memory may well have beside: each is some files more to open. */
const LOOSE_SEGMENTS = 16;

function isTidy(manifest: Manifest): boolean {
  const bytes = filesOf(manifest).reduce((sum, file) => sum + file.bytes, 0);
  return manifest.segments.length <= LOOSE_SEGMENTS + (2 * bytes) / TIDY_BYTES;
}

/** One change: writes new files, and gives the fields of the manifest that counts on them. */
type Change = (before: Manifest, sequence: number) => Promise<Partial<Manifest>>;

class FolderStore implements Store {
  readonly name: string;
  readonly #folder: Folder;
  readonly #app: string;
  readonly #inTurn = queue();
  /** Sequence of the state this store has read or written whole, which is sound; null: it saw that there is none. */
  #known: number | null | undefined;

  constructor(folder: Folder, app: string) {
    this.name = folder.name;
    this.#folder = folder;
    this.#app = app;
  }

  load(): Promise<Memory | null> {
    return this.#inTurn(() => this.#load());
  }

  /** On a folder all is read at once: whoever uses one is a process of its own, without a page's bounds. */
  async open(): Promise<KeptMemory | null> {
    const memory = await this.load();
    return memory && keptMemory(memory);
  }

  async pieces(): Promise<Pieces | null> {
    const memory = await this.load();
    return memory && piecesOf(memory);
  }

  async revision(): Promise<string | null> {
    const manifest = await readManifest(this.#folder);
    return manifest?.memory ? String(manifest.sequence) : null;
  }

  async save(memory: Memory): Promise<void> {
    checkBatch(memory, memory.model);
    const { entries, routing, ...head } = memory;
    await this.#change(async (_, sequence) => ({
      memory: head,
      segments: [await writeSegment(this.#folder, sequence, { entries, routing }, memory)],
    }));
  }

  async take(pieces: Pieces): Promise<{ readonly facts: number }> {
    const memory = await wholeOf(pieces);
    await this.save(memory);
    return { facts: countFacts(memory.entries) };
  }

  append(batch: MemoryBatch): Promise<void> {
    return this.#change(async ({ memory, segments }, sequence) => {
      if (!memory) throw nothingSaved(this.name, "append to");
      checkBatch(batch, memory.model);
      const head = headWith(memory, batch);
      const segment = await writeSegment(this.#folder, sequence, batch, head);
      return { memory: head, segments: [...segments, segment] };
    });
  }

  async tidy(): Promise<void> {
    const folder = this.#folder;
    const manifest = await this.#inTurn(() => readManifest(folder));
    if (!manifest || isTidy(manifest)) return;
    try {
      await this.#change(async (before, sequence) => {
        const whole = await readMemory(folder, before);
        return whole ? tidied(folder, whole, sequence) : {};
      });
    } catch (error) {
      if (!(error instanceof StoreFull)) throw error;
    }
  }

  remove(removal: Removal): Promise<void> {
    return this.#change((before, sequence) => without(this.#folder, removal, before, sequence));
  }

  clear(): Promise<void> {
    return this.#change(async () => ({ memory: null, segments: [] }));
  }

  async #load(): Promise<Memory | null> {
    const folder = this.#folder;
    for (;;) {
      const manifest = await readManifest(folder);
      if (!manifest) {
        this.#known = null;
        return null;
      }
      try {
        const memory = await readMemory(folder, manifest);
        this.#known = manifest.sequence;
        await removeLeftovers(folder, manifest);
        return memory;
      } catch (error) {
        // Another process may have replaced the files between the manifest and them: then there is a newer one.
        if ((await readManifest(folder))?.sequence === manifest.sequence) throw error;
      }
    }
  }

  #change(make: Change): Promise<void> {
    const folder = this.#folder;
    return this.#inTurn(async () => {
      const unlock = await guarded(folder, undefined, () => folder.lock());
      try {
        const before = await guarded(folder, undefined, () => this.#base());
        const next = await guarded(folder, before, () => this.#commit(before, make));
        this.#known = next.sequence;
        await sweep(folder, next);
      } finally {
        await unlock();
      }
    });
  }

  /** The state to build upon, checked; a folder without a store gets an empty manifest first. */
  async #base(): Promise<Manifest> {
    const folder = this.#folder;
    const manifest = await readManifest(folder);
    if (!manifest) return this.#begin();
    // What this store wrote or read itself it has swept as well.
    if (this.#known === manifest.sequence) return manifest;
    if (this.#known !== undefined) throw changed(folder);
    for (const segment of manifest.segments) await verifySegment(folder, segment);
    await sweep(folder, manifest);
    return manifest;
  }

  /** So that files without a manifest are always damage, never a first save that was interrupted. */
  async #begin(): Promise<Manifest> {
    if (typeof this.#known === "number") throw changed(this.#folder);
    const empty = emptyManifest(this.#app);
    await writeManifest(this.#folder, empty);
    this.#known = empty.sequence;
    return empty;
  }

  async #commit(before: Manifest, make: Change): Promise<Manifest> {
    const sequence = before.sequence + 1;
    try {
      const made = { ...before, app: this.#app, sequence, ...(await make(before, sequence)) };
      const next = { ...made, version: formatOf(made.memory) };
      await writeManifest(this.#folder, next);
      return next;
    } catch (error) {
      await removeAfterFailure(this.#folder);
      throw error;
    }
  }
}

/** Writes the segments anew that hold anything of what goes; of the others only the lines are read. */
async function without(
  folder: Folder,
  removal: Removal,
  { memory, segments }: Manifest,
  sequence: number,
): Promise<Partial<Manifest>> {
  if (!memory) throw nothingSaved(folder.name, "delete from");
  checkRemoval(removal, memory.model);
  const { batches, touched } = await affected(folder, removal, memory, segments);
  const left = leftOf([...batches.values()], removal);
  const kept: Segment[] = [];
  let last = sequence;
  for (const segment of segments) {
    if (!touched.has(segment)) {
      kept.push(segment);
      continue;
    }
    const { entries, routing } = left(batches.get(segment)!);
    if (entries.length + routing.length > 0)
      kept.push(await writeSegment(folder, last++, { entries, routing }, memory));
  }
  const gone = new Set(removal.sources);
  const sources = memory.sources.filter(({ id }) => !gone.has(id));
  return { memory: { ...memory, sources }, segments: kept, sequence: Math.max(sequence, last - 1) };
}

/** The segments that a removal touches, and with them those that hold versions of the same documents, read. */
async function affected(
  folder: Folder,
  removal: Removal,
  { model }: Pick<Memory, "model">,
  segments: readonly Segment[],
): Promise<{ batches: ReadonlyMap<Segment, MemoryBatch>; touched: ReadonlySet<Segment> }> {
  const names = new Map<Segment, SegmentNames>();
  for (const segment of segments) names.set(segment, await readNames(folder, segment));
  const touched = new Set(segments.filter((segment) => touches(names.get(segment)!, removal)));
  const anchorsOf = (segment: Segment) => names.get(segment)!.routing.map(({ anchor }) => anchor);
  const anchors = new Set([...touched].flatMap(anchorsOf));
  const batches = new Map<Segment, MemoryBatch>();
  for (const segment of segments)
    if (touched.has(segment) || anchorsOf(segment).some((anchor) => anchors.has(anchor)))
      batches.set(segment, await readSegment(folder, segment, model));
  return { batches, touched };
}

/** The memory in few segments: its routing index in one, and its entries by whole facts. */
async function tidied(
  folder: Folder,
  memory: Memory,
  sequence: number,
): Promise<Pick<Manifest, "segments" | "sequence">> {
  const { entries, routing, model } = memory;
  const most = Math.max(1, Math.floor(TIDY_BYTES / vectorBytes(1, model)));
  const groups: MemoryEntry[][] = [];
  for (const fact of byFact(entries)) {
    const group = groups.at(-1);
    if (group && group.length + fact.length <= most) group.push(...fact);
    else groups.push(fact);
  }
  const batches: MemoryBatch[] = [{ routing }, ...groups.map((group) => ({ entries: group }))];
  const segments: Segment[] = [];
  for (const [i, batch] of batches.entries())
    segments.push(await writeSegment(folder, sequence + i, batch, memory));
  return { segments, sequence: sequence + batches.length - 1 };
}

/**
 * What a removal leaves of one of `batches`. Older versions of a document hold what it held: each becomes the newest
 * one, in its old place.
 */
function leftOf(batches: readonly MemoryBatch[], removal: Removal) {
  const latest = new Map(batches.flatMap(({ routing = [] }) => routing).map((d) => [d.anchor, d]));
  const left = leaving(removal);
  return ({ entries = [], routing = [] }: MemoryBatch) => ({
    entries: entries.filter(({ id }) => !removal.ids.has(id)),
    routing: routing.flatMap(({ anchor }) => left(latest.get(anchor)!) ?? []),
  });
}

async function readMemory(folder: Folder, { memory, segments }: Manifest): Promise<Memory | null> {
  if (!memory) return null;
  const batches = await readSegments(folder, memory, segments);
  const params = savedParams(memory.params, "store: manifest.json, params");
  // One after another: a fact that was encoded again may have fewer parts than before.
  const whole = withBatches({ ...memory, params, entries: [], routing: [] }, batches);
  try {
    checkImported(whole);
    return whole;
  } catch (error) {
    throw damage(folder.name, messageOf(error), error);
  }
}

async function readSegments(
  folder: Folder,
  { model }: Pick<Memory, "model">,
  segments: readonly Segment[],
): Promise<MemoryBatch[]> {
  const batches: MemoryBatch[] = [];
  for (const segment of segments) batches.push(await readSegment(folder, segment, model));
  return batches;
}

/** Removes files of this store that `manifest` does not count on: older states, and half-written ones. */
async function sweep(folder: Folder, manifest: Manifest): Promise<void> {
  const keep = new Set(filesOf(manifest).map((file) => file.name));
  const rest = (await folder.list()).filter((name) => isStoreFile(name) && !keep.has(name));
  for (const name of rest) {
    try {
      await folder.remove(name);
    } catch (error) {
      throw new Error(
        `store: ${folder.name}: the memory is saved, but ${name} of an earlier state could not be removed (${messageOf(error)}) and may hold deleted facts. Remove it by hand, or save again.`,
        { cause: error },
      );
    }
  }
  if (rest.length > 0) await folder.sync();
}

/** Finishes what a crash left undone, unless another process is writing or the folder is read-only. */
async function removeLeftovers(folder: Folder, manifest: Manifest): Promise<void> {
  const keep = new Set(filesOf(manifest).map((file) => file.name));
  if (!(await folder.list()).some((name) => isStoreFile(name) && !keep.has(name))) return;
  try {
    const unlock = await folder.lock();
    try {
      const now = await readManifest(folder);
      if (now) await sweep(folder, now);
    } finally {
      await unlock();
    }
  } catch {
    // The memory itself is sound and loaded; the next write sweeps again and says what it could not remove.
  }
}

/** After a failed change, as far as the disk still obeys; the first error is the one to tell. */
async function removeAfterFailure(folder: Folder): Promise<void> {
  try {
    const manifest = await readManifest(folder);
    if (manifest) await sweep(folder, manifest);
  } catch {
    // The next load or write sweeps again.
  }
}

// --- errors ---

/** Runs `job`; a full disk or another failure of the file system is told with what it means and what to do. */
async function guarded<T>(folder: Folder, before: Manifest | undefined, job: () => Promise<T>): Promise<T> {
  try {
    return await job();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
    if (code === undefined) throw error;
    const full = ["ENOSPC", "EDQUOT", "EFBIG"].includes(code);
    const kept = before?.memory === null ? "nothing had been stored" : "what was stored before is unchanged";
    if (full)
      throw new StoreFull(
        `store: ${folder.name}: the disk is full (${messageOf(error)}). Nothing was lost: ${kept}. Free some space there or choose another folder, then do the same again.`,
        { usage: null, quota: null, cause: error },
      );
    throw new Error(
      `store: ${folder.name}: cannot write (${messageOf(error)}). The stored memory is complete, as it was before or as it was to become. Check the folder and its permissions, then load it again.`,
      { cause: error },
    );
  }
}

function changed(folder: Folder): Error {
  return new Error(
    `store: ${folder.name} was changed by another process since it was loaded. Nothing was written: load it again.`,
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Runs jobs one after another; a failed one does not stop those after it. */
function queue(): <T>(job: () => Promise<T>) => Promise<T> {
  let tail: Promise<unknown> = Promise.resolve();
  return (job) => {
    const result = tail.then(job);
    tail = result.catch(() => undefined);
    return result;
  };
}
