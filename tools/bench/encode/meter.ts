/** @file A device that counts the sessions made on it and the time this takes. */

import type { Device } from "../../../src/runtime/device.ts";

/** Sessions created so far. */
export interface SessionCount {
  readonly sessions: number;
  readonly milliseconds: number;
}

/** `device` with its session creation counted; `count` reads the counter. */
export function metered(device: Device): { readonly device: Device; count(): SessionCount } {
  let sessions = 0;
  let milliseconds = 0;
  return {
    device: {
      ...device,
      async createSession(onnx, options) {
        const started = performance.now();
        const session = await device.createSession(onnx, options);
        milliseconds += performance.now() - started;
        sessions++;
        return session;
      },
    },
    count: () => ({ sessions, milliseconds }),
  };
}
