/** @file Drops the folder of a model: its config.json and the files next to it, read in place. */

import { DropZone, type NamedFile } from "../controls/DropZone.tsx";
import { toast } from "../controls/page.ts";
import { counted } from "../format.ts";

interface DroppedModel {
  readonly name: string;
  /** By their paths from the folder. */
  readonly files: ReadonlyMap<string, Blob>;
}

interface FolderDropProps<Found> {
  /** Of the folder that was dropped before; "" for none. */
  readonly name: string;
  /** As in "the folder of a text embedder". */
  readonly what: string;
  /** The files that are needed, as the first words of a sentence. */
  readonly content: string;
  readonly disabled: boolean;
  readonly find: (dropped: readonly NamedFile[]) => Found | { readonly problem: string };
  readonly onFound: (found: Found) => void;
}

export function FolderDrop<Found extends object>(props: FolderDropProps<Found>) {
  const { name, what, content, disabled, find, onFound } = props;
  const take = (dropped: readonly NamedFile[]): void => {
    const found = find(dropped);
    if ("problem" in found) toast.failed(found.problem);
    else onFound(found);
  };
  return (
    <DropZone onFiles={take} disabled={disabled} folders>
      {name ? <strong>{name}</strong> : `Drop the folder of a ${what} here`}
      <br />
      {content}. Files are read in place; drop them again after a reload.
    </DropZone>
  );
}

/**
 * Finds the model with the topmost config.json among dropped files.
 * @param needs patterns of the files that must be there, by the names they have in messages
 * @param advice what to choose instead, as a sentence
 */
export function droppedModel(
  dropped: readonly NamedFile[],
  needs: Readonly<Record<string, RegExp>>,
  advice: string,
  rename = (name: string): string => name,
): DroppedModel | { readonly problem: string } {
  const [config] = dropped
    .filter(({ name }) => /(^|\/)config\.json$/.test(name))
    .toSorted((a, b) => a.name.split("/").length - b.name.split("/").length);
  if (!config)
    return { problem: `No config.json in the ${counted(dropped.length, "dropped file")}. ${advice}` };
  const folder = config.name.slice(0, -"config.json".length);
  const here = dropped.filter(({ name }) => name.startsWith(folder));
  const files = new Map(here.map(({ name, file }) => [rename(name.slice(folder.length)), file]));
  for (const [name, pattern] of Object.entries(needs))
    if (![...files.keys()].some((path) => pattern.test(path)))
      return { problem: `${name} is missing next to config.json. ${advice}` };
  return { name: folder.split("/").at(-2) ?? "dropped files", files };
}
