/** @file A process that appends batches of two entries to a store until it is killed, reporting how many are safe. */

import { diskStore } from "../disk.ts";
import { makeEntry, makeMemory } from "./memory.ts";

const store = diskStore(process.argv[2]!);
await store.save(makeMemory([]));
for (let n = 0; n < 10_000; n += 2) {
  await store.append({ entries: [makeEntry(n), makeEntry(n + 1)] });
  console.log(n + 2);
}
