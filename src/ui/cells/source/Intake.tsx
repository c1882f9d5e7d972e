/** @file How texts come in: dropped on the cell or anywhere on the page, picked, or pasted. */

import { useEffect, useState } from "react";
import { useActions, useApp, useNotebook } from "../../app.tsx";
import { Button } from "../../controls/Button.tsx";
import { DropZone, droppedFiles, type NamedFile } from "../../controls/DropZone.tsx";
import { TextArea } from "../../controls/Field.tsx";
import { toast } from "../../controls/toasts.ts";
import { useStable } from "../../controls/useAsync.ts";
import { cx } from "../../cx.ts";
import { Row, Stack, Text } from "../../controls/layout.tsx";
import s from "./SourceCell.module.css";

export function Intake({ cellId, empty }: { readonly cellId: string; readonly empty: boolean }) {
  const { addFiles, addPaste } = useActions();
  const take = (files: readonly NamedFile[]): void => {
    const refused = files.flatMap(({ name, file }) => refusal(name, file.size) ?? []);
    if (refused.length > 0) toast.failed(refused.join(" "));
    const good = files.filter(({ name, file }) => refusal(name, file.size) === null);
    if (good.length > 0) void addFiles(cellId, good);
  };
  const paste = (text: string): void => {
    if (text.trim()) void addPaste(cellId, pastedName(text), text);
  };
  const mine = usePageTarget(cellId);
  const dragging = usePageDrop(mine, take);
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
              .txt, .md, .html, .pdf, .epub, .docx. It is read in this tab and never leaves it.
            </Text>
          </>
        )}
      </DropZone>
      <PasteBox onPaste={paste} />
    </Stack>
  );
}

function PasteBox({ onPaste }: { readonly onPaste: (text: string) => void }) {
  const [text, setText] = useState<string | null>(null);
  if (text === null)
    return (
      <div>
        <Button look="quiet" size="s" icon="edit" onClick={() => setText("")}>
          Paste or write a text
        </Button>
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
        <Button look="primary" size="s" disabled={!text.trim()} onClick={add}>
          Add this text
        </Button>
        <Button look="quiet" size="s" onClick={() => setText(null)}>
          Cancel
        </Button>
      </Row>
    </Stack>
  );
}

/** Whether files dropped outside all cells go to this one: the selected source cell, otherwise the first. */
function usePageTarget(cellId: string): boolean {
  const { cells } = useNotebook();
  const selected = useApp((state) => state.selected);
  const sources = cells.filter(({ kind }) => kind === "source");
  const wanted = sources.find(({ id }) => id === selected) ?? sources[0];
  return wanted?.id === cellId;
}

const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;

/** Takes files dropped anywhere that no other drop zone took; true while files are dragged over the page. */
function usePageDrop(active: boolean, take: (files: readonly NamedFile[]) => void): boolean {
  const [dragging, setDragging] = useState(false);
  const onFiles = useStable(take);
  useEffect(() => {
    if (!active) return;
    let quiet: ReturnType<typeof setTimeout> | undefined;
    const over = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setDragging(true);
      // There is no event for a drag that leaves the window and is let go there.
      clearTimeout(quiet);
      quiet = setTimeout(() => setDragging(false), 400);
    };
    const drop = (event: DragEvent): void => {
      setDragging(false);
      if (event.defaultPrevented || !event.dataTransfer || !hasFiles(event)) return;
      event.preventDefault();
      void droppedFiles(event.dataTransfer).then(onFiles);
    };
    addEventListener("dragover", over);
    addEventListener("drop", drop);
    return () => {
      clearTimeout(quiet);
      setDragging(false);
      removeEventListener("dragover", over);
      removeEventListener("drop", drop);
    };
  }, [active, onFiles]);
  return dragging;
}

function usePagePaste(
  cellId: string,
  paste: (text: string) => void,
  take: (files: readonly NamedFile[]) => void,
): void {
  const selected = useApp((state) => state.selected === cellId);
  const onPaste = useStable((event: ClipboardEvent): void => {
    if (event.defaultPrevented || isEditable(event.target)) return;
    const files = [...(event.clipboardData?.files ?? [])].map((file) => ({ name: file.name, file }));
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (files.length > 0) take(files);
    else if (text.trim()) paste(text);
    else return;
    event.preventDefault();
  });
  useEffect(() => {
    if (!selected) return;
    addEventListener("paste", onPaste);
    return () => removeEventListener("paste", onPaste);
  }, [selected, onPaste]);
}

const isEditable = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName));

/** The `accept` attribute of the file input; browsers know some by type only. The library looks into the bytes. */
const ACCEPT =
  ".txt,.md,.markdown,.html,.htm,.xhtml,.pdf,.epub,.docx," +
  "text/plain,text/markdown,text/html,application/pdf,application/epub+zip";

const MODEL_FILE = /\.(safetensors|onnx|onnx_data|gguf|bin)$/i;

/** Why a file is not even tried; null when it may be read. */
export function refusal(name: string, bytes: number): string | null {
  if (MODEL_FILE.test(name))
    return `"${name}" is a file of a model; drop it on the model cell, this one takes texts.`;
  if (bytes > MAX_BYTES)
    return `"${name}" has ${Math.round(bytes / 2 ** 20)} MB; at most ${MAX_BYTES / 2 ** 20} MB are read at once. Split it.`;
  return null;
}

/** The name of a pasted text: its length, none of its words, because the name outlives the text. */
export function pastedName(text: string): string {
  const words = text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
  return `Pasted, ${words} ${words === 1 ? "word" : "words"}.txt`;
}

const MAX_BYTES = 256 * 2 ** 20;
