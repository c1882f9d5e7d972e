/** @file One line between filters and table: the number of facts shown, or the actions for the selection. */

import { useRef, useState, type ReactNode } from "react";
import { Button, IconButton } from "../../controls/Button.tsx";
import { CopyButton } from "../../controls/Button.tsx";
import { Menu, type MenuItem } from "../../controls/Menu.tsx";
import { count, counted } from "../../format.ts";
import { selectAll, selectNone } from "../../table/selection.ts";
import { deletionChoices } from "../../facts/words.ts";
import { factsCsv, factsJsonl, fileName } from "./exportFacts.ts";
import type { FactsShown } from "./useFacts.ts";
import { Row, Text } from "../../controls/layout.tsx";
import { useApp } from "../../app.tsx";
import { toldOf } from "../../../lib/format.ts";
import { toast } from "../../controls/toasts.ts";
import { COLUMNS, COLUMN_INFO, toggledColumn } from "../../facts/factColumns.tsx";
import { saveFile } from "../../controls/saveFile.ts";
import { ImportDialog } from "./ImportDialog.tsx";
import { useMemoryFiles, type MemoryFiles } from "./exportFacts.ts";

export function SelectionBar({
  facts,
  children,
}: {
  readonly facts: FactsShown;
  /** Columns, export and import, at the right end. */
  readonly children: ReactNode;
}) {
  const { rows, shown, filtered, selected } = facts;
  const all = counted(rows.length, "fact");
  const words = filtered ? `${count(shown.length)} of ${all}` : `All ${all}`;
  return (
    <Row wrap align="center" gap="0.25rem 0.5rem" style={{ minHeight: "2rem" }}>
      <Text as="p" tone="soft" size="s" numeric style={{ marginRight: "0.25rem" }} role="status">
        {selected.length > 0 ? `${count(selected.length)} selected` : words}
      </Text>
      {selected.length > 0 ? <SelectedTools {...facts} /> : <ShownTools {...facts} />}
      <Row as="span" gap="0.25rem" flex="end" inline>
        {children}
      </Row>
    </Row>
  );
}

function ShownTools({ shown, filtered, onView, onSelection }: FactsShown) {
  const ids = (): FactsShown["shown"][number]["id"][] => shown.map(({ id }) => id);
  return (
    <>
      {filtered && (
        <Button look="quiet" size="s" onClick={() => onView({ search: "", filters: {} })}>
          Clear filters
        </Button>
      )}
      {shown.length > 0 && (
        <Button look="quiet" size="s" onClick={() => onSelection((before) => selectAll(before, ids()))}>
          {filtered ? `Select these ${count(shown.length)}` : "Select all"}
        </Button>
      )}
    </>
  );
}

function SelectedTools({ rows, selected, documents, readOnly, onSelection, remove, reencode }: FactsShown) {
  const choices = deletionChoices(selected, rows, (id) => documents.get(id)?.title ?? id);
  const blocked = readOnly === null ? {} : { disabled: true, title: readOnly };
  return (
    <>
      <Menu
        label="Delete"
        align="start"
        trigger={
          <Button look="danger" size="s" icon="trash" {...blocked}>
            Delete
          </Button>
        }
        groups={[choices.map(({ ids, ...said }) => ({ ...said, danger: true, onSelect: () => remove(ids) }))]}
      />
      <Button
        look="quiet"
        size="s"
        icon="retry"
        {...blocked}
        onClick={() => void reencode(selected.map(({ id }) => id))}
      >
        Encode again
      </Button>
      <CopyButton text={() => factsCsv(selected)} label="Copy CSV" />
      <Button look="quiet" size="s" onClick={() => onSelection(selectNone)}>
        Select none
      </Button>
    </>
  );
}

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
