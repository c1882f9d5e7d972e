/** @file The files of a drop, those inside folders among them. */

export interface NamedFile {
  /** With the path inside a dropped folder: "model/config.json". */
  readonly name: string;
  readonly file: File;
}

/** More than this in one drop is a mistake (a home folder), and would freeze the page. */
export const MOST_FILES = 2000;

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
