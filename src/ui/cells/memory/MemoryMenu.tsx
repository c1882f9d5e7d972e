/** @file What can be done with a memory as a whole: take it away as a file, bring one in, choose the columns. */

import { useRef, useState } from "react";
import type { FactRow } from "../../../records/notebook.ts";
import { IconButton } from "../../controls/Button.tsx";
import { Menu } from "../../controls/Menu.tsx";
import { toast } from "../../controls/toasts.ts";
import { counted } from "../../format.ts";
import { COLUMN_INFO } from "./columns.tsx";
import { download } from "./download.ts";
import { factsCsv, factsJsonl, fileName } from "./exportFacts.ts";
import { ImportDialog } from "./ImportDialog.tsx";
import type { MemoryFiles } from "./memoryFiles.ts";
import { COLUMNS, toggledColumn, type ColumnId, type FactView } from "./view.ts";

export interface MemoryMenuProps {
  readonly rows: readonly FactRow[];
  /** Of the notebook, for file names. */
  readonly title: string;
  readonly files: MemoryFiles;
  readonly readOnly: string | null;
  readonly visible: readonly ColumnId[];
  readonly onVisible: (visible: readonly ColumnId[]) => void;
  readonly sort: FactView["sort"];
  readonly onSort: (column: ColumnId) => void;
}

export function MemoryMenu(props: MemoryMenuProps) {
  const { rows, title, files, readOnly, visible, onVisible, sort, onSort } = props;
  const [incoming, setIncoming] = useState<File | null>(null);
  const picker = useRef<HTMLInputElement>(null);
  const exportZip = async (): Promise<void> => {
    try {
      download(fileName(title, "zip"), await files.exportMemory(), "application/zip");
    } catch (error) {
      toast.failed(`The memory could not be exported. ${(error as Error).message}`);
    }
  };
  const none = rows.length === 0;
  return (
    <>
      <Menu
        label="Columns"
        trigger={<IconButton icon="panel" label="Columns and order" size="s" />}
        groups={[
          COLUMNS.filter((id) => id !== "value").map((id) => ({
            label: COLUMN_INFO[id].label,
            note: COLUMN_INFO[id].about,
            checked: visible.includes(id),
            onSelect: () => {
              onVisible(toggledColumn(visible, id));
            },
          })),
          COLUMNS.map((id) => ({
            label: `Sort by ${COLUMN_INFO[id].label === "j" ? "index" : COLUMN_INFO[id].label.toLowerCase()}`,
            ...(sort?.column === id ? { icon: sort.descending ? ("down" as const) : ("up" as const) } : {}),
            onSelect: () => {
              onSort(id);
            },
          })),
        ]}
      />
      <Menu
        label="Memory"
        trigger={<IconButton icon="more" label="Export and import" size="s" />}
        groups={[
          [
            {
              label: "Export the memory (.zip)",
              note: "facts, vectors and parameters: a backup that can be imported",
              icon: "download",
              disabled: none,
              onSelect: () => void exportZip(),
            },
            {
              label: "Export the facts (.csv)",
              note: counted(rows.length, "fact"),
              icon: "download",
              disabled: none,
              onSelect: () => {
                download(fileName(`${title} facts`, "csv"), factsCsv(rows), "text/csv");
              },
            },
            {
              label: "Export the facts (.jsonl)",
              icon: "download",
              disabled: none,
              onSelect: () => {
                download(fileName(`${title} facts`, "jsonl"), factsJsonl(rows), "application/jsonl");
              },
            },
          ],
          [
            {
              label: "Import a memory (.zip)…",
              icon: "upload",
              ...(readOnly === null ? {} : { disabled: true, note: readOnly }),
              onSelect: () => picker.current?.click(),
            },
          ],
        ]}
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
        <ImportDialog
          file={incoming}
          stored={rows.length}
          importMemory={files.importMemory}
          onClose={() => {
            setIncoming(null);
          }}
        />
      )}
    </>
  );
}
