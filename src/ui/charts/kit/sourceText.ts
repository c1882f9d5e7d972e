/** @file The run a figure comes from, as one line. */

import type { Source } from "../../../figures/figure.ts";
import { dateTime } from "../../format.ts";

/** "memorised “…”, palimpsest-6m@0a1b2c3d on wasm, 21 Nov 2026, 17:05, app 1a2b3c4". */
export const sourceText = ({ run, model, backend, at, app }: Source): string =>
  [
    run,
    [model, backend && `on ${backend}`].filter(Boolean).join(" "),
    at && dateTime(at),
    app && `app ${app}`,
  ]
    .filter(Boolean)
    .join(", ");
