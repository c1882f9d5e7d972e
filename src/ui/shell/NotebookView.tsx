/** @file The notebook: its title, its cells in order, and a place to add one between any two. */

import {
  DndContext,
  KeyboardSensor,
  PointerSensor,
  closestCenter,
  useSensor,
  useSensors,
} from "@dnd-kit/core";
import type { Announcements, DragEndEvent } from "@dnd-kit/core";
import { SortableContext, sortableKeyboardCoordinates, verticalListSortingStrategy } from "@dnd-kit/sortable";
import { Fragment, useEffect, useRef, useState } from "react";
import { cellTitle } from "../../notebook/kinds.ts";
import { useActions, useCanWrite, useNotebook } from "../app.tsx";
import { CellFrame } from "../cells/frame/CellFrame.tsx";
import { bodiesLoaded, loadBodies } from "../cells/registry.ts";
import { AddCell } from "./AddCell.tsx";
import { NotebookTitle } from "./NotebookTitle.tsx";
import { Opening } from "./Opening.tsx";
import { useHashCell } from "./useHashCell.ts";
import { useKeys } from "./useKeys.ts";
import s from "./NotebookView.module.css";

/** Draws the open notebook once all kinds of its cells are here. */
export function NotebookView() {
  const { cells } = useNotebook();
  const [ready, setReady] = useState(() => bodiesLoaded(cells.map(({ kind }) => kind)));
  useEffect(() => {
    if (!ready) void loadBodies(cells.map(({ kind }) => kind)).then(() => setReady(true));
  }, [ready, cells]);
  return ready ? <Cells /> : null;
}

function Cells() {
  const notebook = useNotebook();
  const canWrite = useCanWrite();
  const { moveCell } = useActions();
  useHashCell();
  useKeys();
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 6 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  const { cells } = notebook;
  const left = useRef(false);
  const position = (id: unknown): number => cells.findIndex((cell) => cell.id === id);
  const nameOf = (id: unknown): string => {
    const cell = cells[position(id)];
    return cell ? `cell ${position(id) + 1}, ${cellTitle(cell)}` : "the cell";
  };
  const announcements: Announcements = {
    onDragStart: ({ active }) => {
      left.current = false;
      return `Picked up ${nameOf(active.id)}.`;
    },
    onDragOver: ({ active, over }) => {
      // Over its own place before it went anywhere: that would talk over "Picked up".
      if (!over || (over.id === active.id && !left.current)) return undefined;
      left.current = true;
      return `${nameOf(active.id)} is over place ${position(over.id) + 1} of ${cells.length}.`;
    },
    onDragEnd: ({ active, over }) =>
      over
        ? `${nameOf(active.id)} was put at place ${position(over.id) + 1}.`
        : `${nameOf(active.id)} was put back.`,
    onDragCancel: ({ active }) => `${nameOf(active.id)} was put back.`,
  };
  const drop = ({ active, over }: DragEndEvent): void => {
    if (over && active.id !== over.id) moveCell(String(active.id), position(over.id));
  };
  return (
    <div className={s.notebook}>
      <NotebookTitle />
      <Opening />
      <DndContext
        sensors={sensors}
        collisionDetection={closestCenter}
        accessibility={{ announcements }}
        onDragEnd={drop}
      >
        <SortableContext items={cells.map(({ id }) => id)} strategy={verticalListSortingStrategy}>
          {canWrite ? <AddCell index={0} /> : <div className={s.gap} />}
          {cells.map((cell, index) => (
            <Fragment key={cell.id}>
              <CellFrame cell={cell} index={index} last={index === cells.length - 1} />
              {canWrite ? (
                <AddCell index={index + 1} always={index === cells.length - 1} />
              ) : (
                <div className={s.gap} />
              )}
            </Fragment>
          ))}
        </SortableContext>
      </DndContext>
    </div>
  );
}
