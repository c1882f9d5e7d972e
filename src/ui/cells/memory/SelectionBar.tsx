/** @file One line between filters and table: the number of facts shown, or the actions for the selection. */

import { useRef, useState, type ReactNode } from "react";
import { toldOf } from "../../../lib/format.ts";
import { useApp, useNotebook, useServices } from "../../app.tsx";
import { Button, CopyButton, IconButton } from "../../controls/Button.tsx";
import { Row, Text } from "../../controls/layout.tsx";
import { Menu, type MenuItem } from "../../controls/Menu.tsx";
import { saveFile } from "../../controls/saveFile.ts";
import { toast } from "../../controls/toasts.ts";
import { COLUMNS, COLUMN_INFO, toggledColumn } from "../../facts/factColumns.tsx";
import { deletionChoices } from "../../facts/words.ts";
import { count, counted } from "../../format.ts";
import { selectAll, selectNone } from "../../table/selection.ts";
import { factsCsv, factsJsonl, fileName } from "./exportFacts.ts";
import { ImportDialog } from "./ImportDialog.tsx";
import type { FactsShown } from "./useFacts.ts";

interface BarProps {
  readonly facts: FactsShown;
  /** Columns, export and import, at the right end. */
  readonly children: ReactNode;
}

export function SelectionBar({ facts, children }: BarProps) {
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
  const all = (): void =>
    onSelection((before) =>
      selectAll(
        before,
        shown.map(({ id }) => id),
      ),
    );
  return (
    <>
      {filtered && (
        <Button look="quiet" size="s" onClick={() => onView({ search: "", filters: {} })}>
          Clear filters
        </Button>
      )}
      {shown.length > 0 && (
        <Button look="quiet" size="s" onClick={all}>
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
  const exports = useExportItems(facts);
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
        groups={[exports, [load]]}
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
      {incoming && <ImportDialog file={incoming} stored={rows.length} onClose={() => setIncoming(null)} />}
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

function useExportItems({ rows, title }: FactsShown): MenuItem[] {
  const { library } = useServices();
  const memory = useNotebook().id;
  // The vectors of the saved example are not in the store yet.
  const saved = useApp(({ memory: { fromExample } }) => fromExample);
  const exportZip = async (): Promise<void> => {
    try {
      saveFile(fileName(title, "zip"), await library().exportMemory({ memory }), "application/zip");
    } catch (error) {
      toast.failed(`The memory could not be exported. ${toldOf(error)}`);
    }
  };
  const table = (ending: string, text: () => string, type: string) => (): void =>
    saveFile(fileName(`${title} facts`, ending), text(), type);
  const item = { icon: "download", disabled: rows.length === 0 } as const;
  return [
    {
      ...item,
      label: "Export the memory (.zip)",
      note: saved
        ? "the saved example has no vectors here: run all cells first"
        : "facts, vectors and parameters: a backup that can be imported",
      disabled: item.disabled || saved,
      onSelect: () => void exportZip(),
    },
    {
      ...item,
      label: "Export the facts (.csv)",
      note: counted(rows.length, "fact"),
      onSelect: table("csv", () => factsCsv(rows), "text/csv"),
    },
    {
      ...item,
      label: "Export the facts (.jsonl)",
      onSelect: table("jsonl", () => factsJsonl(rows), "application/jsonl"),
    },
  ];
}
