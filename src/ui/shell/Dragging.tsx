/**
 * @file Moves cells by their handles. Its code is fetched after the page, so it is drawn next to the cells and not around them:
 * it finds the elements of a cell by their ids.
 */

import {
  DndContext,
  KeyboardSensor,
  PointerSensor,
  closestCenter,
  useSensor,
  useSensors,
  type Announcements,
  type DragEndEvent,
} from "@dnd-kit/core";
import {
  SortableContext,
  sortableKeyboardCoordinates,
  useSortable,
  verticalListSortingStrategy,
} from "@dnd-kit/sortable";
import { CSS } from "@dnd-kit/utilities";
import { useEffect, useLayoutEffect, useRef } from "react";
import { cellTitle } from "../../notebook/kinds.ts";
import { useActions, useNotebook } from "../app.tsx";
import { cellAnchor } from "../controls/page.ts";
import { useStable } from "../controls/useAsync.tsx";

export function Dragging() {
  const { cells } = useNotebook();
  const { moveCell } = useActions();
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 6 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
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
    <DndContext
      sensors={sensors}
      collisionDetection={closestCenter}
      accessibility={{ announcements }}
      onDragEnd={drop}
    >
      <SortableContext items={cells.map(({ id }) => id)} strategy={verticalListSortingStrategy}>
        {cells.map(({ id }) => (
          <Handle key={id} id={id} />
        ))}
      </SortableContext>
    </DndContext>
  );
}

function Handle({ id }: { readonly id: string }) {
  const drag = useSortable({ id });
  const { setNodeRef, setActivatorNodeRef, transform, transition, isDragging } = drag;
  const begin = useStable((event: Event) => {
    // Sensors read the event of the browser and the target.
    const given = { nativeEvent: event, target: event.target, preventDefault: () => event.preventDefault() };
    drag.listeners?.[event.type === "keydown" ? "onKeyDown" : "onPointerDown"]?.(given);
  });
  useEffect(() => {
    const cell = document.getElementById(cellAnchor(id));
    const handle = cell?.querySelector<HTMLElement>("[data-handle]");
    if (!cell || !handle) return;
    setNodeRef(cell);
    setActivatorNodeRef(handle);
    for (const [name, value] of Object.entries(drag.attributes))
      if (value !== undefined) handle.setAttribute(name.toLowerCase(), String(value));
    for (const type of EVENTS) handle.addEventListener(type, begin);
    return () => {
      for (const type of EVENTS) handle.removeEventListener(type, begin);
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the attributes differ in nothing that changes
  }, [id, setNodeRef, setActivatorNodeRef, begin]);
  useLayoutEffect(() => {
    const cell = document.getElementById(cellAnchor(id));
    if (!cell) return;
    cell.style.transform = CSS.Translate.toString(transform) ?? "";
    cell.style.transition = transition ?? "";
    cell.toggleAttribute("data-dragging", isDragging);
  }, [id, transform, transition, isDragging]);
  return null;
}

const EVENTS = ["pointerdown", "keydown"] as const;
