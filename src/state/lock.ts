/** @file One tab writes, the others read: a Web Lock decides, and can be taken over. */

import { set, get, iso, type Core } from "./core.ts";
import { reload } from "./notebooks.ts";

const NAME = "palimpsest-writer";
const SINCE = "palimpsest.writer";

/** Becomes the writer, or waits as a reader until the writer's tab goes. */
export async function elect(core: Core): Promise<void> {
  const { locks } = core.deps;
  if (!locks) {
    set(core, { lock: { role: "writer", writerSince: null } });
    return;
  }
  const first = await new Promise<boolean>((decided) => {
    void locks
      .request(NAME, { ifAvailable: true }, (lock) => {
        decided(lock !== null);
        return lock ? hold(core) : undefined;
      })
      .catch(() => {
        lost(core);
      });
  });
  if (!first) wait(core);
}

/** Takes the writing over from the other tab, which becomes a reader. */
export function takeOver(core: Core): void {
  const { locks } = core.deps;
  void locks
    ?.request(NAME, { steal: true }, () => hold(core))
    .catch(() => {
      lost(core);
    });
}

/** Never ends: the lock goes with the tab, or is taken. */
function hold(core: Core): Promise<never> {
  const waited = get(core).lock.role === "reader";
  const since = iso(core);
  core.deps.settings?.setItem(SINCE, since);
  set(core, { lock: { role: "writer", writerSince: since } });
  // What the other tab wrote last is what we go on with.
  if (waited) for (const id of Object.keys(get(core).open)) void reload(core, id);
  return new Promise(() => undefined);
}

function lost(core: Core): void {
  wait(core);
}

function wait(core: Core): void {
  const { locks, settings } = core.deps;
  set(core, { lock: { role: "reader", writerSince: settings?.getItem(SINCE) ?? null } });
  void locks
    ?.request(NAME, () => hold(core))
    .catch(() => {
      lost(core);
    });
}
