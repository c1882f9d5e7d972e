/** @file What a figure is to the frame around it: a sentence, a drawing, and what stands above and below. */

import type { ReactNode } from "react";
import type { Row } from "../../../figures/figure.ts";
import type { FigureKind, FigureOf, RowOf } from "../../../figures/registry.ts";

/** What a drawing is told. */
export interface Room<R extends Row = Row> {
  /** Pixels that it may fill. */
  readonly width: number;
  /** What it shows, in a sentence. */
  readonly label: string;
  /** Leads from a row to its facts; null where they are not at hand. */
  readonly pick: ((row: R) => void) | null;
}

export interface Picture<R extends Row = Row> {
  /** What one sees, in a sentence, for those who do not. */
  readonly summary: string;
  /** Draws at a width. */
  readonly draw: (room: Room<R>) => ReactNode;
  /** Sliders and choices above the drawing. */
  readonly controls?: ReactNode;
  /** Something below the drawing that is not part of it. */
  readonly below?: ReactNode;
  /** The drawing has its own role and name, because one can do something in it. */
  readonly interactive?: boolean;
  /** A click on the drawing does something else: facts are reached from the table alone. */
  readonly tablePicks?: boolean;
}

/** The picture of a figure, on one scale with the one beside it where there is one. Called as a hook is. */
export type PictureOf<K extends FigureKind> = (
  figure: FigureOf<K>,
  beside: FigureOf<K> | null,
) => Picture<RowOf<K>>;
