/** @file The source cell: texts come in and can be read until they are forgotten; then the palimpsest is in their place. */

import { useEffect, useRef, useState, useCallback, useMemo } from "react";
import { EXAMPLE_ID } from "../../../notebook/file.ts";
import { memorizeCellBelow } from "../../../notebook/kinds.ts";
import type { DocumentId, FactId } from "../../../records/ids.ts";
import type { SourceEntry, FactRow } from "../../../records/notebook.ts";
import {
  useActions,
  useApp,
  useCanWrite,
  useNotebook,
  type CellProps,
  useServices,
  useFactRows,
} from "../../app.tsx";
import { Button, Notice, Row, Stack, Text, cx, Soft } from "../../controls/basics.tsx";
import { Switch, TextArea } from "../../controls/Field.tsx";
import { count, counted } from "../../format.ts";
import { isEditable, isStill, toast, useSentenceTarget } from "../../controls/page.ts";
import { TextList } from "./TextList.tsx";
import {
  DropZone,
  usePageDrop,
  type NamedFile,
  accepted,
  ACCEPT,
  pastedName,
} from "../../controls/DropZone.tsx";
import { useAsync, useWindowEvent } from "../../controls/useAsync.tsx";
import { rewritten } from "../../facts/words.ts";
import { useMarks, type Filter } from "./reader/runs.ts";
import { Palimpsest } from "./palimpsest/Palimpsest.tsx";
import { factsOf } from "./palimpsest/leaves.ts";
import { Reader } from "./reader/Reader.tsx";
import type { Target } from "./reader/Sheet.tsx";
import s from "./SourceCell.module.css";

export function SourceCell({ cell }: CellProps<"source">) {
  const { setInput } = useActions();
  const canWrite = useCanWrite();
  const notebook = useNotebook();
  const { documents, forget } = cell.input;
  const [chosen, open] = useState<DocumentId | null>(null);
  useNewest(documents, open);
  const target = useSentenceTarget(documents, open);
  const filter = memorizeCellBelow(notebook, cell.id)?.input.params.candidateFilter ?? "wide";
  const shown = documents.find(({ id }) => id === chosen) ?? documents[0];
  return (
    <Stack gap={4} shrinks>
      {canWrite && <Intake cellId={cell.id} empty={documents.length === 0} />}
      <TextList cellId={cell.id} {...{ documents, filter }} shown={shown?.id ?? null} onShow={open} />
      <Switch
        label="Forget the source"
        hint={forget ? FORGET : KEEP}
        checked={forget}
        disabled={!canWrite}
        onChange={(checked) => setInput(cell.id, "source", { forget: checked })}
      />
      {forget && <StillKept cellId={cell.id} documents={documents} />}
      {shown && (
        <DocumentView
          key={shown.id}
          entry={shown}
          filter={filter}
          target={target?.documentId === shown.id ? target : null}
        />
      )}
    </Stack>
  );
}

type Documents = readonly SourceEntry[];

/** Texts that are memorised and still here: the switch was off when they were memorised, or facts came back otherwise. */
function StillKept({ cellId, documents }: { readonly cellId: string; readonly documents: Documents }) {
  const { forgetTexts } = useActions();
  const canWrite = useCanWrite();
  const sources = useApp(({ memory }) => memory.info?.sources);
  const pending = useApp(({ memory }) => memory.info?.pending ?? 0);
  const rows = useApp(({ memory }) => memory.facts);
  const ids = documents.flatMap(({ id, kept }) =>
    kept && sources?.some((source) => source.id === id) ? id : [],
  );
  if (ids.length === 0 || pending > 0) return null;
  const facts = (rows ?? []).filter(({ documentId }) => ids.includes(documentId));
  const inexact = facts.filter(({ exact }) => !exact).length;
  return (
    <Row gap={2}>
      {inexact > 0 && (
        <Text as="p" tone="soft" role="status">
          {`${count(inexact)} of ${counted(facts.length, "fact")} ${inexact === 1 ? "does" : "do"} not match word for word. Delete the text anyway?`}
        </Text>
      )}
      <Button size="s" icon="trash" disabled={!canWrite} onClick={() => void forgetTexts(cellId, ids)}>
        {`Delete ${ids.length === 1 ? "the memorised text" : counted(ids.length, "memorised text")} now`}
      </Button>
    </Row>
  );
}

function useNewest(documents: Documents, show: (id: DocumentId) => void): void {
  const before = useRef(documents);
  useEffect(() => {
    const known = new Set(before.current.map(({ id }) => id));
    before.current = documents;
    const fresh = documents.find(({ id }) => !known.has(id));
    if (fresh) show(fresh.id);
  }, [documents, show]);
}

const FORGET =
  "The text is deleted from this browser once all its facts are recalled word for word; otherwise you are asked. Only stored sentences can be read again (see the memorise cell).";
const KEEP =
  "The text stays in this browser, so that you can compare it with the memory. It never leaves this browser.";

function Intake({ cellId, empty }: { readonly cellId: string; readonly empty: boolean }) {
  const { addFiles, addPaste } = useActions();
  const notebook = useNotebook();
  const take = (files: readonly NamedFile[]) => {
    const good = accepted(files);
    if (good.length > 0) void addFiles(cellId, good);
    return good;
  };
  const paste = (text: string): void => {
    if (text.trim()) void addPaste(cellId, pastedName(text), text);
  };
  const mine = usePageTarget(cellId);
  const dragging = usePageDrop(mine, (files) => {
    const good = take(files);
    if (good.length > 0) toast.said(droppedText(good, memorizeCellBelow(notebook, cellId) !== null));
  });
  usePagePaste(cellId, paste, take);
  return (
    <Stack gap={2} className={cx(dragging && s.dragging)}>
      <DropZone onFiles={take} accept={ACCEPT} pick="Choose files">
        {dragging ? (
          <strong>Drop anywhere on the page.</strong>
        ) : (
          <>
            <strong className={s.invite}>{empty ? "Drop a text here" : "Add another text"}</strong>
            <Text size="s">
              .txt, .md, .csv, .html, .pdf, .epub, .docx, .eml, .srt, .vtt. It is read in this tab and never
              leaves it.
            </Text>
          </>
        )}
      </DropZone>
      <PasteBox onPaste={paste} />
    </Stack>
  );
}

/**
 * Notice of files dropped anywhere on the page: the cell that reads them may be out of view.
 * @param memorised whether a memorise cell stores the texts of the source cell
 */
export function droppedText(files: readonly Pick<NamedFile, "name">[], memorised: boolean): string {
  const one = files.length === 1;
  const read = `The source cell reads ${one ? `“${files[0]!.name}”` : counted(files.length, "file")}.`;
  return memorised ? `${read} Run the memorise cell to store ${one ? "it" : "them"}.` : read;
}

function PasteBox({ onPaste }: { readonly onPaste: (text: string) => void }) {
  const [text, setText] = useState<string | null>(null);
  if (text === null)
    return (
      <div>
        <Button look="quiet" size="s" icon="edit" label="Paste or write a text" onClick={() => setText("")} />
      </div>
    );
  const add = (): void => {
    onPaste(text);
    setText(null);
  };
  return (
    <Stack gap={2}>
      <TextArea label="Text to add" value={text} onChange={setText} rows={6} autoFocus />
      <Row gap={2}>
        <Button look="primary" size="s" label="Add this text" disabled={!text.trim()} onClick={add} />
        <Button look="quiet" size="s" label="Cancel" onClick={() => setText(null)} />
      </Row>
    </Stack>
  );
}

/** Whether files dropped outside all cells go to this one; in the worked example they begin a notebook. */
function usePageTarget(cellId: string): boolean {
  const { id, cells } = useNotebook();
  const selected = useApp((state) => state.selected);
  const sources = cells.filter(({ kind }) => kind === "source");
  const wanted = sources.find(({ id }) => id === selected) ?? (id === EXAMPLE_ID ? undefined : sources[0]);
  return wanted?.id === cellId;
}

function usePagePaste(
  cellId: string,
  paste: (text: string) => void,
  take: (files: readonly NamedFile[]) => void,
): void {
  const selected = useApp((state) => state.selected === cellId);
  const onPaste = (event: ClipboardEvent): void => {
    if (event.defaultPrevented || isEditable(event.target)) return;
    const files = [...(event.clipboardData?.files ?? [])].map((file) => ({ name: file.name, file }));
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (files.length > 0) take(files);
    else if (text.trim()) paste(text);
    else return;
    event.preventDefault();
  };
  useWindowEvent("paste", onPaste, selected);
}

interface DocumentProps {
  readonly entry: SourceEntry;
  readonly filter: Filter;
  readonly target: Target;
}

function DocumentView(props: DocumentProps) {
  const { entry, target } = props;
  const { title, kept } = entry;
  const { inspect } = useActions();
  // A deletion shortens the text as the memory knows it.
  const known = useApp(({ memory }) => memory.info?.sources.find(({ id }) => id === entry.id)?.characters);
  const characters = Math.min(entry.characters, known ?? Infinity);
  const facts = useFacts(entry);
  const saved = useApp(({ memory }) => memory.fromExample);
  const notebook = useNotebook();
  const changed = useMemo(() => rewritten(notebook, facts ?? NONE), [notebook, facts]);
  const fading = useFading(kept);
  const onOpenFact = useCallback((id: FactId) => inspect(id), [inspect]);
  if (kept || fading) return <Kept {...props} facts={facts ?? NONE} {...{ fading, onOpenFact }} />;
  if (!facts) return <Soft>Reading what the memory holds…</Soft>;
  return <Palimpsest {...{ title, characters, facts, changed, target, saved, onOpenFact }} />;
}

function Kept({
  entry: { id, title, characters, pages, kept },
  ...rest
}: DocumentProps &
  Readonly<{ facts: readonly FactRow[]; fading: boolean; onOpenFact: (id: FactId) => void }>) {
  const { library } = useServices();
  const ask = () => library().readText({ id, start: 0, end: characters });
  const text = useAsync(ask, [library, id, characters], { wanted: kept, keep: true });
  // First the words, then the marks: both come from one worker.
  const marks = useMarks(id, rest.filter, kept && text.status === "there");
  // Without pages the reader shows the position in characters.
  const paged = { wanted: pages !== null && kept, keep: true };
  const pageStarts = useAsync(() => library().pageStarts({ id }), [library, id], paged).value ?? NO_PAGES;
  if (text.status === "failed")
    return (
      <Notice tone="rubric" role="alert">
        {text.message}
      </Notice>
    );
  if (text.value === null) return <Soft>Reading the text…</Soft>;
  return (
    <>
      {marks.status === "failed" && <Notice tone="ochre">{marks.message}</Notice>}
      <Reader title={title} text={text.value} marks={marks.value} pageStarts={pageStarts} {...rest} />
    </>
  );
}

function useFacts({ id }: SourceEntry): readonly FactRow[] | null {
  const rows = useFactRows();
  const leaving = useApp(({ memory }) => memory.leaving);
  return useMemo(() => rows && factsOf(rows, id).filter((row) => !leaving.has(row.id)), [rows, id, leaving]);
}

function useFading(kept: boolean): boolean {
  const before = useRef(kept);
  const [fading, setFading] = useState(false);
  useEffect(() => {
    const gone = before.current && !kept;
    before.current = kept;
    if (!gone || isStill()) return;
    setFading(true);
    const timer = setTimeout(() => setFading(false), FADE_MS);
    return () => {
      clearTimeout(timer);
      setFading(false);
    };
  }, [kept]);
  // The effect runs after the first drawing without the text: that drawing fades already.
  return fading || (before.current && !kept && !isStill());
}

const NONE: readonly FactRow[] = [];
const NO_PAGES: readonly number[] = [];
/** As the animation in Reader.module.css. */
const FADE_MS = 1400;
