/**
 * @file An engine that outlives its device. Its calls go to the engine of the moment; when the device is lost under
 * one, it waits for the next engine and is made again there. So a run over a loss ends with the very result it would
 * have had.
 */

import { around } from "../../engine/around.ts";
import type { Engine } from "../../engine/engine.ts";
import { following } from "./following.ts";

/** Where the engine of the moment comes from. */
export interface Supply {
  /** Waits while a lost one is replaced; rejects when that failed, or the model was closed. */
  current(): Promise<Engine>;
  /** The one of the moment, lost or not. */
  readonly latest: Engine;
  /** Asked after a failure: whether it came from the loss of the device of `engine`. */
  wasLost(engine: Engine, error: unknown): Promise<boolean>;
}

/** The engines of `supply` as one. They must all be engines of the same model. */
export function steadyEngine(supply: Supply): Engine {
  return around(
    following(() => supply.latest),
    async (_, call) => {
      for (;;) {
        const engine = await supply.current();
        try {
          return await call();
        } catch (error) {
          if (!(await supply.wasLost(engine, error))) throw error;
        }
      }
    },
  );
}
