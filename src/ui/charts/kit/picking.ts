/** @file From a mark or a row of a figure to its facts: what figures are told of the memory they are drawn from. */

import { createContext } from "react";
import type { FactId } from "../../../records/ids.ts";
import type { FactRow } from "../../../records/notebook.ts";

export interface Picking {
  /** The facts that bars and buckets count. */
  readonly facts: readonly FactRow[];
  /** Opens the inspector at a fact. */
  readonly open: (id: FactId) => void;
  /** Where a fact opens when that is not this notebook: the notebook's title. */
  readonly where?: string;
}

/** Null where a figure stands alone, as in the gallery and in a report. */
export const PickingContext = createContext<Picking | null>(null);
