/**
 * @file The figures of a memory, for the cells that made or show it. This file is light: the drawings and what they
 * need are fetched when a section is opened.
 */

import { lazy, Suspense, useState } from "react";
import type { LayerPlanRecord, Stamp } from "../../records/notebook.ts";
import { Choice } from "../controls/Choice.tsx";
import { Disclosure } from "../controls/Disclosure.tsx";
import s from "./Panel.module.css";

const Sections = lazy(() =>
  import("./MemorySections.tsx").then((module) => ({ default: module.MemorySections })),
);

export type MemorySection = "extraction" | "layers" | "encoding" | "gates" | "maps";

const SECTIONS = [
  { value: "extraction", label: "Extraction" },
  { value: "layers", label: "Layers" },
  { value: "encoding", label: "Encoding" },
  { value: "gates", label: "Gates" },
  { value: "maps", label: "Maps" },
] as const;

export interface MemoryFiguresProps {
  /** The memory's id, which is its notebook's. */
  readonly memory: string;
  /** The cell whose model is opened where a figure needs one. */
  readonly cellId: string;
  /** The run that made the memory, for the figures' feet. */
  readonly stamp?: Stamp | null | undefined;
  readonly plan?: LayerPlanRecord | null | undefined;
}

export function MemoryFigures(props: MemoryFiguresProps) {
  const [section, setSection] = useState<MemorySection>("layers");
  const [open, setOpen] = useState(false);
  return (
    <Disclosure summary="Figures" open={open} onOpenChange={setOpen}>
      {open && (
        <div className={s.panel}>
          <Choice label="Figures of" value={section} onChange={setSection} options={SECTIONS} />
          <Suspense fallback={<div className={s.waiting} />}>
            <Sections {...props} section={section} />
          </Suspense>
        </div>
      )}
    </Disclosure>
  );
}
