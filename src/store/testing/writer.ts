/** @file A process that appends batches of two entries to a memory file until it is killed, and reports how many are safe. */

import { memoryFileStore } from "../../../tools/node/memoryFile.ts";
import { makeEntry, makeMemory } from "./memory.ts";

const store = memoryFileStore(process.argv[2]!, { pause: 0 });
await store.save(makeMemory([]));
for (let n = 0; n < 10_000; n += 2) {
  await store.append({ entries: [makeEntry(n), makeEntry(n + 1)] });
  console.log(n + 2);
}
