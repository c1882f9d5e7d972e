/**
 * @file The figures of a memory, at the cell that shows it. This file is light: what is behind it is fetched when it is
 * opened.
 */

import { lazy, Suspense, useState } from "react";
import { Disclosure } from "../controls/Disclosure.tsx";
import s from "./Panel.module.css";

const Panel = lazy(() => import("./MemoryPanel.tsx").then((module) => ({ default: module.MemoryPanel })));

export interface MemoryFiguresProps {
  /** The cell whose model is opened where a figure needs one. */
  readonly cellId: string;
}

export function MemoryFigures(props: MemoryFiguresProps) {
  const [open, setOpen] = useState(false);
  return (
    <Disclosure summary="Figures" open={open} onOpenChange={setOpen}>
      {open && (
        <Suspense fallback={<div className={s.waiting} />}>
          <Panel {...props} />
        </Suspense>
      )}
    </Disclosure>
  );
}
