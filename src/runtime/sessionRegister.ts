/** @file The sessions of one owner, a device or the programs of a model, and the end of all that are left. */

import type { Session } from "./device.ts";

type Releasable = Pick<Session, "release">;

/** Remembers sessions until they are released, so that whoever opened them can release all that are left. */
export function sessionRegister(): {
  add<S extends Releasable>(session: S): S;
  releaseAll(): Promise<void>;
} {
  const open = new Set<Releasable>();
  return {
    add(session) {
      const kept = {
        ...session,
        async release() {
          open.delete(kept);
          await session.release();
        },
      };
      open.add(kept);
      return kept;
    },
    async releaseAll() {
      await Promise.all([...open].map((session) => session.release()));
    },
  };
}
