/** @file What can be done with a memory as a whole: take it away as a file, bring one in, choose the columns. */

import { useRef, useState } from "react";
import { useApp } from "../../app.tsx";
import { toldOf } from "../../../lib/format.ts";
import { IconButton } from "../../controls/Button.tsx";
import { Menu, type MenuItem } from "../../controls/Menu.tsx";
import { toast } from "../../controls/toasts.ts";
import { counted } from "../../format.ts";
import { COLUMN_INFO } from "../../facts/factColumns.tsx";
import { saveFile } from "../../controls/saveFile.ts";
import { factsCsv, factsJsonl, fileName } from "./exportFacts.ts";
import { ImportDialog } from "./ImportDialog.tsx";
import { useMemoryFiles, type MemoryFiles } from "./memoryFiles.ts";
import type { FactsShown } from "./useFacts.ts";
import { COLUMNS, toggledColumn } from "../../facts/factColumns.tsx";

export function MemoryMenu({ facts }: { readonly facts: FactsShown }) {
  const { rows, readOnly } = facts;
  const saved = useApp(({ memory }) => memory.fromExample);
  const files = useMemoryFiles();
  const [incoming, setIncoming] = useState<File | null>(null);
  const picker = useRef<HTMLInputElement>(null);
  const load: MenuItem = {
    label: "Import a memory (.zip)…",
    icon: "upload",
    ...(readOnly === null ? {} : { disabled: true, note: readOnly }),
    onSelect: () => picker.current?.click(),
  };
  return (
    <>
      <Menu
        label="Columns"
        trigger={<IconButton icon="panel" label="Columns and order" size="s" />}
        groups={[columnItems(facts), sortItems(facts)]}
      />
      <Menu
        label="Memory"
        trigger={<IconButton icon="more" label="Export and import" size="s" />}
        groups={[exportItems(facts, files, saved), [load]]}
      />
      <input
        ref={picker}
        type="file"
        accept=".zip,application/zip"
        hidden
        aria-label="Memory file to import"
        onChange={({ target }) => {
          setIncoming(target.files?.[0] ?? null);
          target.value = "";
        }}
      />
      {incoming && (
        <ImportDialog file={incoming} stored={rows.length} files={files} onClose={() => setIncoming(null)} />
      )}
    </>
  );
}

const columnItems = ({ visible, onVisible }: FactsShown): MenuItem[] =>
  COLUMNS.filter((id) => id !== "value").map((id) => ({
    label: COLUMN_INFO[id].label,
    note: COLUMN_INFO[id].about,
    checked: visible.includes(id),
    onSelect: () => onVisible(toggledColumn(visible, id)),
  }));

const sortItems = ({ view: { sort }, onSort }: FactsShown): MenuItem[] =>
  COLUMNS.map((id) => ({
    label: `Sort by ${id === "index" ? "index" : COLUMN_INFO[id].label.toLowerCase()}`,
    ...(sort?.column === id ? { icon: sort.descending ? "down" : "up" } : {}),
    onSelect: () => onSort(id),
  }));

/** `saved`: the facts are those of the saved example, whose vectors are in no store yet. */
function exportItems({ rows, title }: FactsShown, { exportMemory }: MemoryFiles, saved: boolean): MenuItem[] {
  const item = (label: string, note: string, onSelect: () => void): MenuItem => ({
    label,
    ...(note ? { note } : {}),
    icon: "download",
    disabled: rows.length === 0,
    onSelect,
  });
  const exportZip = async (): Promise<void> => {
    try {
      saveFile(fileName(title, "zip"), await exportMemory(), "application/zip");
    } catch (error) {
      toast.failed(`The memory could not be exported. ${toldOf(error)}`);
    }
  };
  const backup = saved
    ? "the saved example has no vectors here: run all cells first"
    : "facts, vectors and parameters: a backup that can be imported";
  return [
    {
      ...item("Export the memory (.zip)", backup, () => void exportZip()),
      ...(saved ? { disabled: true } : {}),
    },
    item("Export the facts (.csv)", counted(rows.length, "fact"), () =>
      saveFile(fileName(`${title} facts`, "csv"), factsCsv(rows), "text/csv"),
    ),
    item("Export the facts (.jsonl)", "", () =>
      saveFile(fileName(`${title} facts`, "jsonl"), factsJsonl(rows), "application/jsonl"),
    ),
  ];
}
