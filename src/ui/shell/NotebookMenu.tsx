/** @file The notebooks of this browser: open, new, duplicate, export, import, remove. */

import { useRef, type ReactNode } from "react";
import { notebookText } from "../../notebook/file.ts";
import { openPaper } from "../paper/paperHash.ts";
import { currentOf, useActions, useApp, useCanWrite } from "../app.tsx";
import { Button } from "../controls/Button.tsx";
import { Icon } from "../controls/Icon.tsx";
import { Menu } from "../controls/Menu.tsx";
import { attempt, useExports, useMaking, useNotebooks, useRemoving, useSteps } from "./notebookItems.ts";
import s from "./NotebookMenu.module.css";

const PAPER_ITEM = {
  label: "The paper",
  note: "Its tables, and what comes out here",
  icon: "file" as const,
  onSelect: openPaper,
};

export function NotebookMenu() {
  const title = useApp(currentOf)?.notebook.title;
  const canWrite = useCanWrite();
  const { importNotebook } = useActions();
  const input = useRef<HTMLInputElement>(null);
  const importFile = (file: File | undefined): void => {
    if (file) void attempt(async () => importNotebook(await notebookText(file)));
  };
  const importing = canWrite && {
    label: "Import a file",
    icon: "upload" as const,
    onSelect: () => input.current?.click(),
  };
  const [notebooks, steps, making, exports, removing] = [
    useNotebooks(),
    useSteps(),
    useMaking(),
    useExports(),
    useRemoving(),
  ];
  return (
    <>
      <Menu
        label="Notebooks"
        align="start"
        trigger={<Trigger>{title || "Notebooks"}</Trigger>}
        groups={[notebooks, steps, [...making, ...exports, importing], [PAPER_ITEM], [removing]]}
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
