/** @file One line between filters and table: the facts shown or selected, columns and order, export and import. */

import { useFilePicker } from "../../controls/DropZone.tsx";
import { useState, type ReactNode } from "react";
import { toldOf } from "../../../lib/format.ts";
import { useApp, useAppState, useNotebook, useServices, useActions } from "../../app.tsx";
import { Button, CopyButton, IconButton, Row, Text, Stack, Note } from "../../controls/basics.tsx";
import { lazily, Progress, Failed, useAsync } from "../../controls/useAsync.tsx";
import { Menu, type MenuItem, Dialog, Disclosure } from "../../controls/Dialog.tsx";
import { fileName, saveFile, toast } from "../../controls/page.ts";
import { COLUMNS, COLUMN_INFO, toggledColumn } from "../../facts/factColumns.tsx";
import { deletionChoices } from "../../facts/words.ts";
import { count, counted, bytes } from "../../format.ts";
import { selectAll, selectNone } from "../../table/Table.tsx";
import type { FactsShown } from "./FilterBar.tsx";
import type { LibraryService } from "../../../service/library/libraryService.ts";
import type { FactId } from "../../../records/ids.ts";
import { csvTable } from "../../../lib/csv.ts";
import { vectorsOf } from "../../../records/factRow.ts";
import type { FactRow } from "../../../records/notebook.ts";

export function SelectionBar({ facts, children }: Readonly<{ facts: FactsShown; children: ReactNode }>) {
  const { rows, shown, filtered, selected } = facts;
  const all = counted(rows.length, "fact");
  const words = filtered ? `${count(shown.length)} of ${all}` : `All ${all}`;
  return (
    <Row wrap align="center" gap="0.25rem 0.5rem" style={{ minHeight: "2rem" }}>
      <Note numeric style={{ marginRight: "0.25rem" }} role="status">
        {selected.length > 0 ? `${count(selected.length)} selected` : words}
      </Note>
      {selected.length > 0 ? <SelectedTools {...facts} /> : <ShownTools {...facts} />}
      <Row as="span" gap="0.25rem" flex="end" inline>
        {children}
      </Row>
    </Row>
  );
}

function ShownTools({ shown, filtered, onView, onSelection }: FactsShown) {
  const ids = shown.map(({ id }) => id);
  return (
    <>
      {filtered && (
        <Button look="quiet" size="s" onClick={() => onView({ search: "", filters: {} })}>
          Clear filters
        </Button>
      )}
      {shown.length > 0 && (
        <Button look="quiet" size="s" onClick={() => onSelection((before) => selectAll(before, ids))}>
          {filtered ? `Select the ${count(shown.length)} shown` : "Select all"}
        </Button>
      )}
    </>
  );
}

function SelectedTools({ rows, selected, documents, readOnly, onSelection, remove, reencode }: FactsShown) {
  const choices = deletionChoices(selected, rows, (id) => documents.get(id)?.title ?? id);
  // More than the selection is a second group, without the red of the first.
  const items = choices.map(({ ids, ...said }, i) => ({
    ...said,
    danger: i === 0,
    onSelect: () => remove(ids),
  }));
  const blocked = readOnly === null ? {} : { disabled: true, title: readOnly };
  const state = useAppState();
  return (
    <>
      <Menu
        label="Delete"
        align="start"
        trigger={<Button look="danger" size="s" icon="trash" label="Delete" {...blocked} />}
        groups={[items.slice(0, 1), items.slice(1)]}
      />
      <Button
        look="quiet"
        size="s"
        icon="retry"
        label="Encode again"
        {...blocked}
        onClick={() => void reencode(selected.map(({ id }) => id))}
      />
      <CopyButton text={() => factsCsv(selected, state().memory.said)} label="Copy CSV" />
      <Button look="quiet" size="s" label="Select none" onClick={() => onSelection(selectNone)} />
    </>
  );
}

export function MemoryMenu({ facts }: { readonly facts: FactsShown }) {
  const { rows, readOnly, cellId } = facts;
  const exports = useExportItems(facts);
  const [incoming, setIncoming] = useState<File | null>(null);
  const [carrying, setCarrying] = useState(false);
  const { pick, input } = useFilePicker({
    ...{ label: "Memory file to import", accept: ".zip,application/zip" },
    onFiles: ([chosen]) => setIncoming(chosen?.file ?? null),
  });
  const blocked = readOnly === null ? {} : { disabled: true, note: readOnly };
  const load: MenuItem = { label: "Import a memory (.zip)…", icon: "upload", ...blocked, onSelect: pick };
  const carry: MenuItem = {
    label: "Carry over to another model…",
    icon: "retry",
    ...(rows.length === 0 ? { disabled: true } : blocked),
    onSelect: () => setCarrying(true),
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
        groups={[exports, [load, carry]]}
      />
      {input}
      {incoming && (
        <ImportDialog
          {...{ file: incoming, stored: rows.length, cellId }}
          onClose={() => setIncoming(null)}
        />
      )}
      {carrying && <CarryDialog cellId={cellId} onClose={() => setCarrying(false)} />}
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
  const state = useAppState();
  const exportZip = async (): Promise<void> => {
    try {
      saveFile(fileName(title, "zip"), await library().exportMemory({ memory }), "application/zip");
    } catch (error) {
      toast.failed(`The memory could not be exported. ${toldOf(error)}`);
    }
  };
  const { value: signer, again } = useAsync(() => library().signingKey({}), [library], { keep: true });
  const signs = async (keep: boolean): Promise<void> => {
    const key = await library().signingKey({ keep });
    again();
    toast.said(
      key === null
        ? "The key was removed. Exports are not signed."
        : `Exports are signed with the key ${key}.`,
    );
  };
  const exportCsv = (): void =>
    saveFile(fileName(`${title} facts`, "csv"), factsCsv(rows, state().memory.said), "text/csv");
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
      label: "Sign exported memories",
      note: signer ? `with the key ${signer} of this browser` : "with a new key that stays in this browser",
      checked: Boolean(signer),
      onSelect: () => void signs(!signer),
    },
    {
      ...item,
      label: "Export the facts (.csv)",
      note: counted(rows.length, "fact"),
      onSelect: exportCsv,
    },
  ];
}

type Result<Call extends keyof LibraryService> = Awaited<ReturnType<LibraryService[Call]>>;

const CarryDialog = lazily(async () => (await import("./CarryDialog.tsx")).CarryDialog);

interface ImportProps {
  readonly file: File;
  readonly cellId: string;
  readonly stored: number;
  readonly onClose: () => void;
}

function ImportDialog({ file, stored, cellId, onClose }: ImportProps) {
  const { library } = useServices();
  const { refreshMemory, refreshStorage, takeIn } = useActions();
  const memory = useNotebook().id;
  const archive = { archive: file, name: file.name };
  const [busy, setBusy] = useState(false);
  const [done, setDone] = useState<Result<"importMemory"> | null>(null);
  const [problem, setProblem] = useState("");
  const checked = useAsync(() => library().inspectArchive(archive), [library, file]);
  const refused = problem || checked.message;
  const run = async (mode: "replace" | "merge"): Promise<void> => {
    setBusy(true);
    try {
      const result = await library().importMemory({ memory, ...archive, mode });
      await refreshMemory();
      await refreshStorage();
      setDone(result);
    } catch (error) {
      setProblem(toldOf(error));
    }
    setBusy(false);
  };
  const asking = !busy && !done && !refused && checked.value !== null;
  const actions = asking ? (
    <>
      <Button look="quiet" label="Cancel" onClick={onClose} />
      {stored > 0 && (
        <Button look="danger" onClick={() => void run("replace")}>
          {`Replace ${counted(stored, "fact")}`}
        </Button>
      )}
      <Button look="primary" label={stored > 0 ? "Merge" : "Import"} onClick={() => void run("merge")} />
    </>
  ) : (
    <Button label="Close" onClick={onClose} disabled={busy} />
  );
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        // A write in progress is always completed.
        if (!open && !busy) onClose();
      }}
      title="Import a memory"
      description={`${file.name}, ${bytes(file.size)}`}
      actions={actions}
    >
      {refused ? (
        <Failed title="Nothing was imported." message={refused} />
      ) : done ? (
        <Imported
          {...done}
          onTakeIn={() => {
            onClose();
            void takeIn(cellId, file, done.left);
          }}
        />
      ) : busy || !checked.value ? (
        <Progress label={busy ? "Writing" : "Checking the file"} />
      ) : (
        <Found {...checked.value} stored={stored} />
      )}
    </Dialog>
  );
}

function Found(props: Result<"inspectArchive"> & Pick<ImportProps, "stored">) {
  const { facts, pending, model, titles, findings, stored } = props;
  const changed = findings.some(({ holds }) => holds === false);
  const waiting = pending > 0 ? `, and ${counted(pending, "fact")} still to be encoded` : "";
  return (
    <>
      <p>
        The file holds {counted(facts, "fact")} of {counted(titles.length, "text")}
        {waiting}, made with the model {model}. Its vectors mean nothing to another.
      </p>
      <p>
        {stored === 0
          ? "This memory is empty."
          : `This memory holds ${counted(stored, "fact")}. Merging adds the facts of the file that are not here and skips the others; replacing removes what is here first.`}
      </p>
      <Disclosure
        defaultOpen={changed}
        summary={
          changed ? "The file was changed after it was written" : "The file is unchanged: what was checked"
        }
      >
        <Text as="ul" tone="soft" size="s" style={{ paddingLeft: "1.1rem", overflowWrap: "anywhere" }}>
          {findings.map(({ holds, text }) => (
            <li key={text}>{holds === false ? `Fails: ${text}` : text}</li>
          ))}
        </Text>
      </Disclosure>
    </>
  );
}

type ImportedProps = Result<"importMemory"> & { readonly onTakeIn: () => void };

const Imported = ({ added, skipped, left, notes, onTakeIn }: ImportedProps) => (
  <Stack role="status" gap="0.4rem">
    <p>
      {counted(added, "fact")} added, {counted(skipped, "fact")} skipped.
    </p>
    {notes.length > 0 && (
      <Text as="ul" tone="soft" size="s" style={{ paddingLeft: "1.1rem" }}>
        {notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </Text>
    )}
    {left.length > 0 && (
      <Row wrap align="center" gap={2}>
        <span>
          {counted(left.length, "fact")} not added yet: other facts here have the same anchor and number.
        </span>
        <Button label="Encode them under free numbers" onClick={onTakeIn} />
      </Row>
    )}
  </Stack>
);

const FIELDS = [
  "id",
  "documentId",
  "anchor",
  "index",
  "offset",
  "layer",
  "tokens",
  "said",
  "exact",
  "fidelity",
  "steps",
  "givenUp",
  "deltaNorm",
  "margin",
  "memorizedAt",
] as const satisfies readonly (keyof FactRow | "said")[];

export const factsCsv = (rows: readonly FactRow[], said: ReadonlyMap<FactId, string>): string =>
  csvTable(
    [...FIELDS, "parts"],
    rows.map((row) => {
      const line = { ...row, said: said.get(row.id) ?? null };
      return [...FIELDS.map((name) => line[name] ?? null), vectorsOf(row)];
    }),
  );
