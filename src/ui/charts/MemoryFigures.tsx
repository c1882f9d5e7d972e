/** @file The figures of a memory at its cell; their code is loaded when they are opened. */

import { lazy, Suspense, useState } from "react";
import { Disclosure } from "../controls/Disclosure.tsx";
import s from "./Panel.module.css";

const Panel = lazy(() => import("./MemoryPanel.tsx").then((module) => ({ default: module.MemoryPanel })));

/** `cellId`: the cell whose model is opened if a figure needs one. */
export function MemoryFigures(props: { readonly cellId: string }) {
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
