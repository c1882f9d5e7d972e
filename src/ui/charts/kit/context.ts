/** @file What figures get from the page around them: the facts that they lead to, and the run that is named once. */

import { createContext } from "react";
import type { FactId } from "../../../records/ids.ts";
import type { FactRow } from "../../../records/notebook.ts";

export interface Picking {
  readonly facts: readonly FactRow[];
  readonly open: (id: FactId) => void;
  /** Title of the notebook in which a fact opens, if it is not the open one. */
  readonly where?: string;
}

/** Null if figures lead nowhere, as in the gallery and in a report. */
export const PickingContext = createContext<Picking | null>(null);

/** The source (see sourceText) that a section names once for all its figures; "" if each figure names its own. */
export const ProvenanceContext = createContext("");
