/** @file What can be done with a cell as a whole. */

import { cellTitle } from "../../../notebook/kinds.ts";
import type { Cell } from "../../../records/notebook.ts";
import { useActions, useCanWrite, useNotebook } from "../../app.tsx";
import { IconButton } from "../../controls/Button.tsx";
import { Menu } from "../../controls/Menu.tsx";
import { toast } from "../../controls/toasts.ts";
import { moveTo, remove } from "../../shell/cellSteps.ts";
import { cellAnchor } from "../../shell/goToCell.ts";
import { RENAME_EVENT } from "./CellTitle.tsx";

export function CellMenu({
  cell,
  index,
  last,
}: {
  readonly cell: Cell;
  readonly index: number;
  readonly last: boolean;
}) {
  const notebook = useNotebook();
  const actions = useActions();
  const { cells } = notebook;
  const canWrite = useCanWrite();
  const move = (to: number): void => moveTo(actions, cell, to, cells.length);
  const copyLink = async (): Promise<void> => {
    const url = new URL(location.href);
    url.search = `?notebook=${encodeURIComponent(notebook.id)}`;
    url.hash = cellAnchor(cell.id);
    try {
      await navigator.clipboard.writeText(url.href);
      toast.said("The link to this cell is copied. It opens in this browser, where the notebook is.");
    } catch {
      toast.failed(`The browser did not allow copying. The link is ${url.href}`);
    }
  };
  return (
    <Menu
      label="Cell menu"
      trigger={<IconButton icon="more" size="s" label={`More for cell ${index + 1}, ${cellTitle(cell)}`} />}
      groups={[
        [
          canWrite && {
            label: cell.title ? "Rename" : "Give it a title",
            takesFocus: true,
            icon: "edit",
            onSelect: () => {
              // After the menu has given the focus back.
              setTimeout(() => dispatchEvent(new CustomEvent(RENAME_EVENT, { detail: cell.id })), 0);
            },
          },
          canWrite && {
            label: "Move up",
            icon: "up",
            keys: "Alt ↑",
            takesFocus: true,
            disabled: index === 0,
            onSelect: () => move(index - 1),
          },
          canWrite && {
            label: "Move down",
            icon: "down",
            keys: "Alt ↓",
            takesFocus: true,
            disabled: last,
            onSelect: () => move(index + 1),
          },
          canWrite && {
            label: "Duplicate",
            icon: "copy",
            onSelect: () => actions.duplicateCell(cell.id),
          },
          { label: "Copy link", icon: "link", onSelect: () => void copyLink() },
        ],
        [
          canWrite && {
            label: "Remove",
            icon: "trash",
            keys: "D",
            danger: true,
            onSelect: () => remove(actions, cell, cells),
          },
        ],
      ]}
    />
  );
}
