/** @file The figures of a memory at its cell; their code is loaded when they are opened. */

import { lazy, Suspense } from "react";
import { Disclosure } from "../controls/Disclosure.tsx";
import s from "./charts.module.css";

const Panel = lazy(() => import("./MemoryPanel.tsx").then((module) => ({ default: module.MemoryPanel })));

/** `cellId`: the cell whose model is opened if a figure needs one. */
export const MemoryFigures = (props: { readonly cellId: string }) => (
  <Disclosure summary="Figures">
    <Suspense fallback={<div className={s.waiting} />}>
      <Panel {...props} />
    </Suspense>
  </Disclosure>
);
