/** @file Every byte that a fact has in the browser, and where it is found. Both functions run in the page. */

/** Strings of latin1, by what they are. */
export type Traces = Readonly<Record<string, readonly string[]>>;

/** The parts of the one fact of `anchor`: its rows in IndexedDB, and vectors in the rows of the encoding cache. */
export async function tracesOfFact({
  anchor,
  sentence,
}: Readonly<{ anchor: string; sentence: string }>): Promise<Traces> {
  const database = await new Promise<IDBDatabase>((resolve, reject) => {
    const opening = indexedDB.open("palimpsest");
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error ?? new Error("IndexedDB"));
  });
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  const rowsOf = (table: string): Promise<any[]> =>
    new Promise((resolve) => {
      const request = database.transaction(table).objectStore(table).getAll();
      request.onsuccess = () => resolve(request.result);
    });
  const text = (view: ArrayBufferView): string => new TextDecoder("latin1").decode(view);
  const traces: Record<string, string[]> = { sentence: [sentence, sentence.split(" ").slice(2).join(" ")] };
  const add = (name: string, ...found: string[]): unknown =>
    (traces[name] = [...(traces[name] ?? []), ...found]);
  const vectors = await rowsOf("vectors");
  for (const { memory, block, ids, entries } of await rowsOf("entries"))
    for (const [i, entry] of entries.entries()) {
      if (entry.anchor !== anchor) continue;
      const own = vectors.find((row) => row.memory === memory && row.block === block);
      for (const [name, rows] of [
        ["key", own.keys],
        ["residual", own.residuals],
      ]) {
        const all = rows.bits ?? rows.levels ?? rows;
        const length = all.length / entries.length;
        add(name, text(all.subarray(i * length, (i + 1) * length)));
      }
      add("nonce", entry.nonce);
      add("id", `"${ids[i][1]}"`, ids[i][1]);
    }
  for (const { documents } of await rowsOf("routing"))
    for (const document of documents)
      if (document.anchor === anchor) {
        add("digest", document.facts[0].digest);
        add("terms", document.facts[0].terms);
      }
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`mark ${sentence}`));
  const mark = [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const heads = (await rowsOf("cacheHeads")).filter(({ marks }) =>
    marks.some((one: string) => mark.startsWith(one)),
  );
  for (const { key, bytes } of await rowsOf("cacheRows"))
    if (heads.some((head) => head.key === key))
      add("cached", key, ...[...text(bytes).matchAll(/"\$float32":"([^"]{64})/g)].map(([, one]) => one!));
  database.close();
  return traces;
}

/** The tables, caches, files and settings of this origin that hold a trace, by its name. */
export async function foundIn(traces: Traces): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = Object.fromEntries(Object.keys(traces).map((name) => [name, []]));
  const look = (place: string, content: string): void => {
    for (const [name, all] of Object.entries(traces))
      if (!found[name]!.includes(place) && all.some((one) => content.includes(one))) found[name]!.push(place);
  };
  const text = (view: ArrayBuffer | ArrayBufferView): string => new TextDecoder("latin1").decode(view);
  const walk = (place: string, value: unknown): void => {
    if (typeof value === "string") look(place, value);
    else if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) look(place, text(value));
    else if (typeof value === "object" && value !== null)
      for (const [key, one] of Object.entries(value)) {
        look(place, key);
        walk(place, one);
      }
  };
  for (const { name } of await indexedDB.databases()) {
    const database = await new Promise<IDBDatabase>((resolve) => {
      const opening = indexedDB.open(name!);
      opening.onsuccess = () => resolve(opening.result);
    });
    for (const table of database.objectStoreNames) {
      const store = database.transaction(table).objectStore(table);
      for (const request of [store.getAllKeys(), store.getAll()])
        walk(table, await new Promise((resolve) => (request.onsuccess = () => resolve(request.result))));
    }
    database.close();
  }
  const files = async (folder: FileSystemDirectoryHandle): Promise<void> => {
    for await (const [name, entry] of folder.entries()) {
      look("files", name);
      if (entry.kind === "directory") await files(entry);
      else look("files", text(await (await entry.getFile()).arrayBuffer()));
    }
  };
  await files(await navigator.storage.getDirectory());
  for (const name of await caches.keys()) {
    const cache = await caches.open(name);
    for (const request of await cache.keys())
      look("caches", request.url + text(await (await cache.match(request))!.arrayBuffer()));
  }
  walk("settings", [{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href]);
  return found;
}
