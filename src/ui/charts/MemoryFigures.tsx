/**
 * @file The figures of a memory, for the cells that made or show it, and the choice of another memory to see beside it.
 * This file is light: the drawings and what they need are fetched when a section is opened.
 */

import { lazy, Suspense, useState } from "react";
import { toldOf } from "../../lib/format.ts";
import { useActions, useApp, useCanWrite } from "../app.tsx";
import { Button } from "../controls/Button.tsx";
import { Choice } from "../controls/Choice.tsx";
import { Disclosure } from "../controls/Disclosure.tsx";
import { Select } from "../controls/Select.tsx";
import { toast } from "../controls/toasts.ts";
import { counted } from "../format.ts";
import { useOtherMemories } from "./sections/sides.ts";
import s from "./Panel.module.css";

const Sections = lazy(() =>
  import("./sections/MemorySections.tsx").then((module) => ({ default: module.MemorySections })),
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
  /** The cell whose model is opened where a figure needs one. */
  readonly cellId: string;
}

export function MemoryFigures(props: MemoryFiguresProps) {
  const [open, setOpen] = useState(false);
  return (
    <Disclosure summary="Figures" open={open} onOpenChange={setOpen}>
      {open && <Opened {...props} />}
    </Disclosure>
  );
}

function Opened(props: MemoryFiguresProps) {
  const [section, setSection] = useState<MemorySection>("layers");
  const [beside, setBeside] = useState<string | null>(null);
  return (
    <div className={s.panel}>
      <div className={s.tools}>
        <Choice label="Figures of" value={section} onChange={setSection} options={SECTIONS} />
        <Beside beside={beside} onBeside={setBeside} />
      </div>
      <Suspense fallback={<div className={s.waiting} />}>
        <Sections {...props} section={section} beside={beside} />
      </Suspense>
    </div>
  );
}

/** Radix takes no empty value. */
const NOTHING = "none";

/** Which memory stands beside, and a copy of this one for comparing it with what becomes of it. */
function Beside({
  beside,
  onBeside,
}: {
  readonly beside: string | null;
  readonly onBeside: (id: string | null) => void;
}) {
  const others = useOtherMemories();
  const here = useApp(({ memory }) => memory.info?.facts ?? 0);
  const canWrite = useCanWrite();
  const { keepMemory } = useActions();
  const [keeping, setKeeping] = useState(false);
  const keep = async (): Promise<void> => {
    setKeeping(true);
    try {
      const title = await keepMemory();
      toast.said(`This memory is kept as it is now, as the notebook “${title}”.`);
    } catch (error) {
      toast.failed(`The memory could not be kept. ${toldOf(error)}`);
    } finally {
      setKeeping(false);
    }
  };
  return (
    <>
      <Select
        label="Beside another memory"
        value={beside ?? NOTHING}
        disabled={!others || others.length === 0}
        onChange={(id) => onBeside(id === NOTHING ? null : id)}
        options={[
          { value: NOTHING, label: others?.length === 0 ? "this browser has no other" : "this one alone" },
          ...(others ?? []).map(({ id, title, facts, model }) => ({
            value: id,
            label: title,
            note: `${counted(facts, "fact")}, ${model}`,
          })),
        ]}
      />
      {here > 0 && (
        <Button size="s" look="quiet" icon="copy" disabled={!canWrite || keeping} onClick={() => void keep()}>
          Keep a copy to compare with
        </Button>
      )}
    </>
  );
}
