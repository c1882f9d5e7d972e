/** @file A deadline for tests and tools, which no page watches: it stops nothing. */

import type { Deadline } from "../deadline.ts";

export const NO_DEADLINE: Deadline = {
  run: (_, work) => work(),
  follow: (_, work) => work(() => undefined),
};
