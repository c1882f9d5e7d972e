/** @file Cell kind -> what it is called, how it runs, and the component that draws its body, loaded when needed. */

import { lazy, type ComponentType } from "react";
import type { Cell, CellKind } from "../../records/notebook.ts";
import type { IconName } from "../controls/Icon.tsx";
import type { CellProps } from "../app.tsx";

export interface CellType<K extends CellKind> {
  /** One line for the menu that adds cells. */
  readonly blurb: string;
  readonly icon: IconName;
  /** What the run button says; null: the cell has nothing to run. */
  readonly run: string | null;
  /** The body; the frame, title and run state are drawn around it. */
  readonly Body: ComponentType<CellProps<K>>;
}

/** A kind that is missing here can be kept, moved and exported; its body says that it cannot be shown. */
export const CELL_TYPES: { readonly [K in CellKind]?: CellType<K> } = {
  note: {
    blurb: "Words of your own, in Markdown",
    icon: "edit",
    run: null,
    Body: lazy(() => import("./note/NoteCell.tsx").then(({ NoteCell }) => ({ default: NoteCell }))),
  },
  model: {
    blurb: "The frozen language model that remembers",
    icon: "system",
    run: "Open model",
    Body: lazy(() => import("./model/ModelCell.tsx").then(({ ModelCell }) => ({ default: ModelCell }))),
  },
  source: {
    blurb: "The texts to remember, and what is left of them",
    icon: "file",
    run: null,
    Body: lazy(() => import("./source/SourceCell.tsx").then(({ SourceCell }) => ({ default: SourceCell }))),
  },
  memorize: {
    blurb: "Turns the facts of the sources above into vectors",
    icon: "book",
    run: "Memorise",
    Body: lazy(() =>
      import("./memorize/MemorizeCell.tsx").then(({ MemorizeCell }) => ({ default: MemorizeCell })),
    ),
  },
  store: {
    blurb: "The table of everything that is remembered",
    icon: "folder",
    run: null,
    Body: lazy(() => import("./store/StoreCell.tsx").then(({ StoreCell }) => ({ default: StoreCell }))),
  },
  ask: {
    blurb: "A question to the memory, answered with the facts it rests on",
    icon: "search",
    run: "Ask",
    Body: lazy(() => import("./ask/AskCell.tsx").then(({ AskCell }) => ({ default: AskCell }))),
  },
  probe: {
    blurb: "Measures which layers hold facts best",
    icon: "panel",
    run: "Probe",
    Body: lazy(() => import("./probe/ProbeCell.tsx").then(({ ProbeCell }) => ({ default: ProbeCell }))),
  },
  experiment: {
    blurb: "A named study: capacity, deletion, gates, steps, layers or needle depth",
    icon: "retry",
    run: "Run study",
    Body: lazy(() =>
      import("./experiment/ExperimentCell.tsx").then(({ ExperimentCell }) => ({ default: ExperimentCell })),
    ),
  },
};

/** The entry for a cell of any kind. */
export const cellType = (kind: CellKind): CellType<never> | undefined =>
  CELL_TYPES[kind] as CellType<never> | undefined;

/** The body of any cell, given itself. */
export type AnyBody = ComponentType<{ readonly cell: Cell }>;
