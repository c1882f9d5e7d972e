/** @file What a figure gives its frame: a summary, a drawing, and what goes above and below it. */

import type { ReactNode } from "react";
import type { Row } from "../../../figures/figure.ts";
import type { FigureKind, FigureOf, RowOf } from "../../../figures/registry.ts";

export interface Room<R = Row> {
  /** Pixels that it may fill. */
  readonly width: number;
  /** The summary, as its accessible name. */
  readonly label: string;
  /** Opens the facts of a row; null if they are not at hand. */
  readonly pick: ((row: R) => void) | null;
}

export interface Picture<R = Row> {
  /** A description for screen readers. */
  readonly summary: string;
  readonly draw: (room: Room<R>) => ReactNode;
  readonly controls?: ReactNode;
  /** Words below the drawing that are not part of it. */
  readonly below?: string | undefined;
  /** The drawing takes no keyboard; the frame gives it its role and name. */
  readonly still?: boolean;
  /** A click on the drawing does something else; facts open only from the table. */
  readonly tablePicks?: boolean;
}

/** Makes the picture of a figure, on one scale with the figure `beside` it. Called as a hook. */
export type PictureOf<K extends FigureKind> = (
  figure: FigureOf<K>,
  beside: FigureOf<K> | null,
) => Picture<RowOf<K>>;
