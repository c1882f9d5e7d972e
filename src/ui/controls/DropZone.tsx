/** @file Places for files: a zone, the whole page, a file dialog; and the texts among what came. */

import {
  useEffect,
  useRef,
  useState,
  type ChangeEvent,
  type DragEvent as Dragged,
  type ReactNode,
} from "react";
import { cx, Row, Text, Button } from "./basics.tsx";
import { useStable, useWindowEvent } from "./useAsync.tsx";
import s from "./DropZone.module.css";
import { toast } from "./page.ts";

export type { NamedFile };

export function DropZone(
  props: Readonly<{
    onFiles: (files: readonly NamedFile[]) => void;
    children: ReactNode;
    accept?: string;
    folders?: boolean;
    disabled?: boolean;
    pick?: string;
    actions?: ReactNode;
  }>,
) {
  const { onFiles, children, accept, folders, disabled, pick = "Choose files", actions } = props;
  const [over, setOver] = useState(false);
  const drop = async (event: Dragged): Promise<void> => {
    event.preventDefault();
    event.stopPropagation();
    setOver(false);
    if (disabled) return;
    const files = await droppedFiles(event.dataTransfer);
    if (files.length > 0) onFiles(files);
  };
  return (
    <Row
      wrap
      align="center"
      gap="var(--space-3) var(--space-5)"
      justify="between"
      className={cx(s.zone, over && !disabled && s.over)}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => void drop(event)}
    >
      <Text as="div" shrinks tone="soft" style={{ flex: actions ? "1 0 100%" : "1 1 14rem" }}>
        {children}
      </Text>
      <Row wrap gap={2} align="center">
        {actions}
        <Picker label={pick} multiple {...{ onFiles, accept, disabled }} />
        {folders && <Picker label="Choose a folder" multiple folder {...{ onFiles, disabled }} />}
      </Row>
    </Row>
  );
}

interface PickerProps {
  readonly label: string;
  readonly onFiles: (files: readonly NamedFile[]) => void;
  readonly accept?: string | undefined;
  readonly multiple?: boolean;
  readonly folder?: boolean;
}

function Picker({ disabled, ...props }: PickerProps & { readonly disabled?: boolean | undefined }) {
  const { pick, input } = useFilePicker(props);
  return (
    <>
      <Button disabled={disabled} label={props.label} onClick={pick} />
      {input}
    </>
  );
}

/** A hidden file input, to be drawn anywhere, and `pick`, which opens the browser's dialog. */
export function useFilePicker({ label, onFiles, accept, multiple, folder }: PickerProps) {
  const input = useRef<HTMLInputElement>(null);
  const onChange = ({ target }: ChangeEvent<HTMLInputElement>): void => {
    const files = [...(target.files ?? [])].map((file) => ({
      name: file.webkitRelativePath || file.name,
      file,
    }));
    target.value = "";
    if (files.length > 0) onFiles(files);
  };
  const props = { accept, multiple, onChange, ...(folder && { webkitdirectory: "" }) };
  return {
    pick: () => input.current?.click(),
    input: <input ref={input} type="file" hidden aria-label={label} {...props} />,
  };
}

interface NamedFile {
  /** With the path inside a dropped folder: "model/config.json". */
  readonly name: string;
  readonly file: File;
}

/** More than this in one drop is a mistake (a home folder), and would freeze the page. */
const MOST_FILES = 2000;

/** Every file of `transfer`, in the order of the drop; at most {@link MOST_FILES}. */
export async function droppedFiles(transfer: DataTransfer): Promise<NamedFile[]> {
  // Entries must be asked for before the first await: the browser empties the transfer after the event.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry());
  const loose = [...transfer.files].map((file) => ({ name: file.name, file }));
  if (entries.every((entry) => entry === null)) return loose;
  const found: NamedFile[] = [];
  for (const entry of entries) if (entry) await collect(entry, found);
  return found;
}

async function collect(entry: FileSystemEntry, found: NamedFile[]): Promise<void> {
  if (found.length >= MOST_FILES) return;
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    );
    found.push({ name: entry.fullPath.replace(/^\//, ""), file });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    // A reader gives at most 100 entries at once.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return;
    for (const child of some) await collect(child, found);
  }
}

const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;

/** Takes files dropped anywhere that no other drop zone took; true while files are dragged over the page. */
export function usePageDrop(active: boolean, take: (files: readonly NamedFile[]) => void): boolean {
  const [dragging, setDragging] = useState(false);
  const quiet = useRef<ReturnType<typeof setTimeout>>(undefined);
  const stop = (): void => setDragging(false);
  const over = (event: DragEvent): void => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    setDragging(true);
    // There is no event for a drag that leaves the window and is let go there.
    clearTimeout(quiet.current);
    quiet.current = setTimeout(stop, 400);
  };
  const drop = (event: DragEvent): void => {
    stop();
    if (event.defaultPrevented || !event.dataTransfer || !hasFiles(event)) return;
    event.preventDefault();
    void droppedFiles(event.dataTransfer).then(take);
  };
  useWindowEvent("dragover", over, active);
  useWindowEvent("drop", drop, active);
  return dragging && active;
}

/** The `accept` attribute for files that Palimpsest exported. */
export const EXPORTED = ".palimpsest,.json,.zip,application/json,application/zip";

export const isArchive = ({ name }: File): boolean => /\.(palimpsest|zip)$/i.test(name);

/** Takes exported notebooks, which no zone reads, wherever they are dropped. */
export function useNotebookDrop(open: (files: readonly NamedFile[]) => void): void {
  const take = useStable((event: DragEvent) => {
    const files = [...(event.dataTransfer?.files ?? [])];
    if (!files.some(({ name }) => /\.palimpsest(\.json)?$/i.test(name))) return;
    event.preventDefault();
    event.stopPropagation();
    open(files.map((file) => ({ name: file.name, file })));
  });
  useWindowEvent("dragover", (event: DragEvent) => {
    if (hasFiles(event)) event.preventDefault();
  });
  useEffect(() => {
    // Before the zones.
    addEventListener("drop", take, true);
    return () => removeEventListener("drop", take, true);
  }, [take]);
}

/** The `accept` attribute of the file input; browsers know some by type only. The library looks into the bytes. */
export const ACCEPT =
  ".txt,.md,.markdown,.csv,.tsv,.html,.htm,.xhtml,.pdf,.epub,.docx,.eml,.srt,.vtt," +
  "text/plain,text/markdown,text/csv,text/html,application/pdf,application/epub+zip,message/rfc822";

const MODEL_FILE = /\.(safetensors|onnx|onnx_data|gguf|bin)$/i;

export function refusal(name: string, bytes: number): string | null {
  if (MODEL_FILE.test(name))
    return `"${name}" is a file of a model; drop it on the model cell, this one takes texts.`;
  if (bytes > MAX_BYTES)
    return `"${name}" has ${Math.round(bytes / 2 ** 20)} MB; at most ${MAX_BYTES / 2 ** 20} MB are read at once. Split it.`;
  return null;
}

/** The name of a pasted text: its length, none of its words, because the name outlives the text. Marks of Markdown in two lines make it ".md". */
export function pastedName(text: string): string {
  const words = text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
  const marked = text.split("\n").filter((line) => MARKDOWN_LINE.test(line)).length;
  return `Pasted text, ${words} ${words === 1 ? "word" : "words"}.${marked > 1 ? "md" : "txt"}`;
}

const MARKDOWN_LINE =
  /^#{1,6} \S|^ {0,8}[-*] \[[ xX]\] |\*\*[^*\s][^*]{0,200}\*\*|\[[^[\]]{1,200}\]\(\S{1,500}\)|^\|?(?: ?:?-{3,}:? ?\|)+|^```/;

const MAX_BYTES = 256 * 2 ** 20;

export function accepted<F extends { readonly name: string; readonly file: Blob }>(files: readonly F[]): F[] {
  const refused = files.flatMap(({ name, file }) => refusal(name, file.size) ?? []);
  if (refused.length > 0) toast.failed(refused.join(" "));
  return files.filter(({ name, file }) => refusal(name, file.size) === null);
}
