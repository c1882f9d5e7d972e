/** @file The notebooks of this browser: open, new, duplicate, export, import, remove. */

import { useRef, type ReactNode } from "react";
import { currentOf, useActions, useApp, useAppState, useCanWrite, useServices } from "../app.tsx";
import { Button } from "../controls/Button.tsx";
import { Icon } from "../controls/Icon.tsx";
import { Menu, type MenuItem } from "../controls/Menu.tsx";
import { toast } from "../controls/toasts.ts";
import { age, counted } from "../format.ts";
import { describe } from "../../notebook/history.ts";
import { EXAMPLE_ID } from "../../notebook/example.ts";
import { saveFile } from "./saveFile.ts";
import s from "./NotebookMenu.module.css";

/** More than a menu can show well; the newest are shown. */
const SHOWN = 12;

export function NotebookMenu() {
  const current = useApp(currentOf);
  const list = useApp((state) => state.list);
  const actions = useActions();
  const canWrite = useCanWrite();
  const { library, engine } = useServices();
  const state = useAppState();
  const input = useRef<HTMLInputElement>(null);
  const id = current?.notebook.id ?? null;
  const undoStep = current?.history.undo.at(-1);
  const redoStep = current?.history.redo.at(-1);

  const attempt = async (work: () => unknown): Promise<void> => {
    try {
      await work();
    } catch (error) {
      toast.failed((error as Error).message);
    }
  };
  const importFile = (file: File | undefined): void => {
    if (file) void attempt(async () => actions.importNotebook(await file.text()));
  };
  const remove = (): void => {
    if (!current) return;
    const { title } = current.notebook;
    const undo = actions.removeNotebook(current.notebook.id);
    toast.undoable(`“${title || "Untitled notebook"}” was removed.`, () => void attempt(undo));
  };
  const report = (): Promise<typeof import("../report/exportReport.ts")> =>
    import("../report/exportReport.ts");
  const sources = { state, actions, library, engine };
  const exportPage = async (): Promise<void> => {
    toast.said("Drawing the figures …");
    await (await report()).exportPage(sources);
  };
  const exportFigures = async (): Promise<void> => {
    toast.said("Drawing the figures …");
    const count = await (await report()).exportFigures(sources);
    if (count === 0) toast.said("This notebook has no figures yet: run its cells first.");
  };
  const notebooks = list.slice(0, SHOWN).map((info): MenuItem => ({
    label: info.title || "Untitled notebook",
    note: `${counted(info.cells, "cell")}, ${age(info.updated, Date.now())}`,
    icon: "book",
    checked: info.id === id,
    onSelect: () => void attempt(() => actions.openNotebook(info.id)),
  }));
  const doing: (MenuItem | false)[] = [
    canWrite && { label: "New notebook", icon: "plus", onSelect: () => void attempt(actions.createNotebook) },
    canWrite && {
      label: "Empty notebook",
      icon: "edit",
      onSelect: () => void attempt(actions.createEmptyNotebook),
    },
    !list.some((info) => info.id === EXAMPLE_ID) && {
      label: "The worked example",
      icon: "book",
      onSelect: () => void attempt(actions.openExample),
    },
    canWrite &&
      id !== null && {
        label: "Duplicate this one",
        icon: "copy",
        note: "Without its memory",
        onSelect: () => void attempt(() => actions.duplicateNotebook(id)),
      },
    {
      label: "Export as a file",
      icon: "download",
      note: "Without the memory: the Memory cell exports that",
      onSelect: () =>
        void attempt(() =>
          saveFile(fileName(current?.notebook.title ?? ""), actions.exportNotebook(), "application/json"),
        ),
    },
    current !== null && {
      label: "Export as a page",
      icon: "file",
      note: "One HTML file that needs no network",
      onSelect: () => void attempt(exportPage),
    },
    current !== null && {
      label: "Figures as files",
      icon: "download",
      note: "SVG, PNG and CSV in one archive",
      onSelect: () => void attempt(exportFigures),
    },
    canWrite && { label: "Import a file", icon: "upload", onSelect: () => input.current?.click() },
  ];
  return (
    <>
      <Menu
        label="Notebooks"
        align="start"
        trigger={<Trigger>{current?.notebook.title || "Notebooks"}</Trigger>}
        groups={[
          notebooks,
          [
            undoStep !== undefined && {
              label: `Undo: ${describe(undoStep)}`,
              icon: "undo",
              keys: "Z",
              disabled: !canWrite,
              onSelect: actions.undo,
            },
            redoStep !== undefined && {
              label: `Redo: ${describe(redoStep)}`,
              icon: "redo",
              keys: "Shift Z",
              disabled: !canWrite,
              onSelect: actions.redo,
            },
          ],
          doing,
          [
            canWrite &&
              id !== null && { label: "Remove this notebook", icon: "trash", danger: true, onSelect: remove },
          ],
        ]}
      />
      <input
        ref={input}
        type="file"
        accept=".json,application/json"
        hidden
        aria-label="Notebook file"
        onChange={({ target }) => {
          importFile(target.files?.[0]);
          target.value = "";
        }}
      />
    </>
  );
}

function Trigger({ children, ...rest }: { readonly children: ReactNode }) {
  return (
    <Button look="quiet" className={s.trigger} {...rest}>
      <span className={s.title}>{children}</span>
      <Icon name="chevron" size={14} />
    </Button>
  );
}

/** "The lamp at Harrow Point" -> "the-lamp-at-harrow-point.palimpsest.json". */
function fileName(title: string): string {
  const plain = title
    .normalize("NFKD")
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "")
    .toLowerCase()
    .slice(0, 60);
  return `${plain || "notebook"}.palimpsest.json`;
}
