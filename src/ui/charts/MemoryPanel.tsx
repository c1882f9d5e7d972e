/** @file The figures of a memory: the choice of a section, and of another memory to compare with. */

import { toldOf } from "../../lib/format.ts";
import { useState } from "react";
import type { MemorySection } from "../../figures/registry.ts";
import { useActions, useApp, useCanWrite } from "../app.tsx";
import { Button } from "../controls/Button.tsx";
import { Choice } from "../controls/Choice.tsx";
import { Select } from "../controls/Select.tsx";
import { toast } from "../controls/toasts.ts";
import { counted } from "../format.ts";
import { MemorySections } from "./MemorySections.tsx";
import { useOtherMemories, type SectionProps } from "./sections/sides.ts";
import { Row, Stack } from "../controls/layout.tsx";

const SECTIONS = [
  { value: "extraction", label: "Extraction" },
  { value: "layers", label: "Layers" },
  { value: "encoding", label: "Encoding" },
  { value: "gates", label: "Gates" },
  { value: "maps", label: "Maps" },
] as const;

export function MemoryPanel(props: Pick<SectionProps, "cellId">) {
  const [section, setSection] = useState<MemorySection>("layers");
  const [beside, setBeside] = useState<string | null>(null);
  return (
    <Stack gap="1.25rem">
      <Row wrap gap="0.5rem 1.5rem" align="end">
        <Choice label="Figures of" value={section} onChange={setSection} options={SECTIONS} />
        <Beside beside={beside} onBeside={setBeside} />
      </Row>
      <MemorySections {...props} section={section} beside={beside} />
    </Stack>
  );
}

/** Radix takes no empty value. */
const NOTHING = "none";

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
      toast.said(`A copy of this memory was saved as the notebook “${title}”.`);
    } catch (error) {
      toast.failed(`The memory could not be copied. ${toldOf(error)}`);
    } finally {
      setKeeping(false);
    }
  };
  return (
    <>
      <Select
        label="Compare with"
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
