/** @file Types between a figure and its frame, and the context that a figure gets from the page. */

import { type ReactNode, createContext, useMemo } from "react";
import type { Row } from "../../../figures/figure.ts";
import type { FigureKind, FigureOf, RowOf } from "../../../figures/registry.ts";
import type { FactId } from "../../../records/ids.ts";
import type { FactRow } from "../../../records/notebook.ts";
import { useActions } from "../../app.tsx";

export interface Room<R = Row> {
  readonly width: number;
  readonly label: string;
  readonly pick: ((row: R) => void) | null;
}

/** The room of one of `panels`, as many side by side as have at least `narrowest` pixels. */
export function panelRoom<R>(room: Room<R>, panels: number, narrowest: number): Room<R> {
  const across = Math.max(1, Math.min(panels, Math.floor(room.width / narrowest)));
  return { ...room, width: Math.floor((room.width - (across - 1) * 24) / across) };
}

export interface Picture<R = Row> {
  readonly summary: string;
  readonly draw: (room: Room<R>) => ReactNode;
  readonly controls?: ReactNode;
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

interface FactPickingProps {
  readonly facts: readonly FactRow[];
  readonly other?: { readonly id: string; readonly title: string } | undefined;
  readonly children: ReactNode;
}

export function FactPicking({ facts, other, children }: FactPickingProps) {
  const { inspect, openNotebook } = useActions();
  const picking = useMemo(
    () => ({
      facts,
      open: (id: FactRow["id"]) => {
        if (other) void openNotebook(other.id).then(() => inspect(id));
        else inspect(id);
      },
      ...(other ? { where: other.title } : {}),
    }),
    [facts, other, inspect, openNotebook],
  );
  return <PickingContext value={picking}>{children}</PickingContext>;
}
