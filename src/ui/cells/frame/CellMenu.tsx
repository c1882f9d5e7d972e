/** @file What can be done with a cell as a whole. */

import { cellTitle } from "../../../notebook/kinds.ts";
import type { Cell } from "../../../records/notebook.ts";
import type { Actions } from "../../../state/app.ts";
import { useActions, useCanWrite, useNotebook } from "../../app.tsx";
import { IconButton } from "../../controls/Button.tsx";
import { Menu, type MenuItem } from "../../controls/Menu.tsx";
import { toast } from "../../controls/toasts.ts";
import { moveTo, remove } from "./cellSteps.ts";
import { cellAnchor } from "../../controls/goToCell.ts";
import { RENAME_EVENT } from "./CellTitle.tsx";

export interface CellPlace {
  readonly cell: Cell;
  readonly index: number;
  readonly last: boolean;
}

export function CellMenu(place: CellPlace) {
  const { cell, index } = place;
  const notebook = useNotebook();
  const actions = useActions();
  const canWrite = useCanWrite();
  const link: MenuItem = {
    label: "Copy link",
    icon: "link",
    onSelect: () => void copyLink(notebook.id, cell),
  };
  const away: MenuItem = {
    label: "Remove",
    icon: "trash",
    keys: "D",
    danger: true,
    onSelect: () => remove(actions, cell, notebook.cells),
  };
  return (
    <Menu
      label="Cell menu"
      trigger={<IconButton icon="more" size="s" label={`More for cell ${index + 1}, ${cellTitle(cell)}`} />}
      groups={canWrite ? [[...changes(actions, place, notebook.cells.length), link], [away]] : [[link]]}
    />
  );
}

function changes(actions: Actions, { cell, index, last }: CellPlace, count: number): readonly MenuItem[] {
  const moved = (to: number): Pick<MenuItem, "takesFocus" | "onSelect"> => ({
    takesFocus: true,
    onSelect: () => moveTo(actions, cell, to, count),
  });
  return [
    {
      label: cell.title ? "Rename" : "Give it a title",
      takesFocus: true,
      icon: "edit",
      onSelect: () => {
        // After the menu has given the focus back.
        setTimeout(() => dispatchEvent(new CustomEvent(RENAME_EVENT, { detail: cell.id })), 0);
      },
    },
    { label: "Move up", icon: "up", keys: "Alt ↑", disabled: index === 0, ...moved(index - 1) },
    { label: "Move down", icon: "down", keys: "Alt ↓", disabled: last, ...moved(index + 1) },
    { label: "Duplicate", icon: "copy", onSelect: () => actions.duplicateCell(cell.id) },
  ];
}

async function copyLink(notebook: string, cell: Cell): Promise<void> {
  const url = new URL(location.href);
  url.search = `?notebook=${encodeURIComponent(notebook)}`;
  url.hash = cellAnchor(cell.id);
  try {
    await navigator.clipboard.writeText(url.href);
    toast.said("The link to this cell is copied. It opens in this browser, where the notebook is.");
  } catch {
    toast.failed(`The browser did not allow copying. The link is ${url.href}`);
  }
}
