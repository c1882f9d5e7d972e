/** @file One tab writes, the others read: who is who, and what happens when that changes. */

import { get, set, type Core } from "./core.ts";
import { reload } from "./notebooks.ts";

/** Becomes the writer, or waits as a reader. `stop` is called if another tab takes over: this tab can no longer save. */
export async function elect(core: Core, stop: () => void): Promise<void> {
  const lock = await core.deps.holdWriter({
    onLost: stop,
    who: () => get(core).open[get(core).currentId ?? ""]?.notebook.title || "Palimpsest",
    onChange: ({ state, who }) => {
      const before = get(core).lock.role;
      set(core, { lock: { role: state, who } });
      // Continue with the last state that the other tab wrote.
      if (before === "reader" && state === "writer")
        for (const id of Object.keys(get(core).open)) void reload(core, id).catch(() => undefined);
    },
    // A reader follows what the writer does.
    onSaved: (id) => {
      if (id in get(core).open) void reload(core, id).catch(() => undefined);
    },
  });
  core.tab.lock = lock;
  core.store.subscribe(({ open }, { open: before }) => {
    if (open === before) return;
    for (const [id, { save }] of Object.entries(open))
      if (save.status === "saved" && before[id]?.save.status === "saving") lock.saved(id);
  });
  set(core, { lock: { role: lock.state, who: lock.who } });
}
