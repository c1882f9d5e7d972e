/** @file Markdown of the user's own: read until it is edited in place. */

import { useEffect, useRef, useState } from "react";
import { type CellProps, useActions, useApp, useCanWrite } from "../../app.tsx";
import { goToCell } from "../../controls/page.ts";
import { SafeMarkdown } from "./SafeMarkdown.tsx";
import { Text } from "../../controls/layout.tsx";
import s from "./NoteCell.module.css";

export function NoteCell({ cell }: CellProps<"note">) {
  const { setInput } = useActions();
  const canWrite = useCanWrite();
  const selected = useApp((state) => state.selected === cell.id);
  // One that was just added is there to be written in.
  const [editing, setEditing] = useState(canWrite && selected && cell.input.text === "");
  const area = useRef<HTMLTextAreaElement>(null);
  const { text } = cell.input;
  useEffect(() => {
    if (editing) area.current?.focus();
  }, [editing]);
  if (editing)
    return (
      <textarea
        ref={area}
        className={s.editor}
        aria-label="Note, in Markdown"
        value={text}
        placeholder="Write in Markdown"
        onChange={({ target }) => setInput(cell.id, "note", () => ({ text: target.value }))}
        onBlur={() => setEditing(false)}
        onKeyDown={(event) => {
          if (
            event.key !== "Escape" &&
            !(event.key === "Enter" && (event.shiftKey || event.ctrlKey || event.metaKey))
          )
            return;
          event.preventDefault();
          setEditing(false);
          // The editor goes, and the focus with it, were it not for the cell.
          goToCell(cell.id);
        }}
      />
    );
  const edit = (): void => {
    if (canWrite) setEditing(true);
  };
  return (
    <div
      className={s.note}
      {...(canWrite ? { tabIndex: 0, role: "group", "aria-label": "Note. Press Enter to edit." } : {})}
      onDoubleClick={edit}
      onKeyDown={(event) => {
        if (event.key !== "Enter" || event.shiftKey || event.ctrlKey || event.metaKey) return;
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        edit();
      }}
    >
      {text.trim() === "" ? (
        <Text as="p" tone="soft" italic>
          {canWrite ? "An empty note. Double-click or press Enter to write." : "An empty note."}
        </Text>
      ) : (
        <SafeMarkdown text={text} />
      )}
    </div>
  );
}
