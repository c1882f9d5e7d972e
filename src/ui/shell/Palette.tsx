/** @file The command palette: the outline of the notebook, its words, and everything that the menu does, in one line to type into. */

import { useId, useMemo, useState, type KeyboardEvent } from "react";
import { wordSearch, type WordSearch } from "../../lib/wordSearch.ts";
import { cellTitle, KINDS } from "../../notebook/kinds.ts";
import type { Cell } from "../../records/notebook.ts";
import { useActions, useApp, useCanWrite, useNotebook } from "../app.tsx";
import { Dialog } from "../controls/Dialog.tsx";
import { TextField } from "../controls/Field.tsx";
import { Note, Row, Stack, Text } from "../controls/basics.tsx";
import { goToCell } from "../controls/page.ts";
import { useNotebookItems } from "./notebookItems.ts";

interface Entry {
  readonly label: string;
  readonly note: string;
  readonly text?: string;
  readonly act: () => void;
}

export function Palette({ onClose, onImport }: Readonly<{ onClose: () => void; onImport: () => void }>) {
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const list = useId();
  const now = useEntries(onImport);
  // The notebook does not change under an open palette.
  const [entries] = useState(now);
  const [search] = useState(() =>
    wordSearch(entries.map(({ label, note, text = "" }) => `${label} ${note} ${text}`)),
  );
  const found = useMemo(() => matching(entries, search, query), [entries, search, query]);
  const chosen = Math.min(at, found.length - 1);
  const act = (entry: Entry | undefined): void => {
    if (!entry) return;
    onClose();
    // After the dialog has given the focus back.
    setTimeout(entry.act);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (by === 0 && event.key !== "Enter") return;
    event.preventDefault();
    if (by === 0) act(found[chosen]);
    else setAt((chosen + by + found.length) % Math.max(1, found.length));
  };
  return (
    <Dialog open onOpenChange={onClose} title="Go to, find or do">
      <Stack gap={3}>
        <TextField
          label="A cell, a word of the notebook, or a command"
          role="combobox"
          aria-expanded
          aria-controls={list}
          aria-activedescendant={found[chosen] && `${list}-${chosen}`}
          value={query}
          onChange={(text) => {
            setQuery(text);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
        <Stack
          as="div"
          id={list}
          role="listbox"
          aria-label="Found"
          style={{ minHeight: "16rem", alignContent: "start" }}
        >
          {found.map((entry, i) => (
            <Row
              key={i}
              id={`${list}-${i}`}
              role="option"
              aria-selected={i === chosen}
              align="baseline"
              justify="between"
              gap={4}
              ruled="bottom"
              style={{
                padding: "0.35rem 0.5rem",
                cursor: "pointer",
                background: i === chosen ? "var(--lapis-wash)" : undefined,
              }}
              onPointerMove={() => setAt(i)}
              onClick={() => act(entry)}
            >
              <Text shrinks>{entry.label}</Text>
              <Text tone="soft" size="s" flex="fixed">
                {entry.note}
              </Text>
            </Row>
          ))}
          {found.length === 0 && <Note>Nothing in this notebook has these words.</Note>}
        </Stack>
      </Stack>
    </Dialog>
  );
}

function useEntries(onImport: () => void): readonly Entry[] {
  const { cells } = useNotebook();
  const { inspect, runAll, select } = useActions();
  const canWrite = useCanWrite();
  const said = useApp(({ memory }) => memory.said);
  const items = useNotebookItems(onImport);
  const outline = cells.map((cell, i): Entry => {
    const first = firstWords(cell);
    return {
      label: `${i + 1}. ${cell.title || first || cellTitle(cell)}`,
      note: cell.title || first ? KINDS[cell.kind].name : "",
      text: wordsOf(cell),
      act: () => {
        select(cell.id);
        goToCell(cell.id);
      },
    };
  });
  const facts = [...said].map(([id, sentence]): Entry => ({
    label: sentence,
    note: "Fact",
    act: () => inspect(id),
  }));
  const commands = items.flatMap((group) =>
    group.flatMap((item): Entry[] =>
      item && typeof item.label === "string" && !item.disabled && item.checked !== true
        ? [
            {
              label: item.label,
              note: item.icon === "book" ? "Notebook" : "Command",
              act: () => void item.onSelect(),
            },
          ]
        : [],
    ),
  );
  const run: Entry[] = canWrite ? [{ label: "Run all", note: "Command", act: () => void runAll() }] : [];
  return [...outline, ...run, ...commands, ...facts];
}

/** Entries with all words of the query, or their beginnings; without a query all but the facts. */
function matching(entries: readonly Entry[], search: WordSearch, query: string): readonly Entry[] {
  const has = search(query);
  const wanted =
    query.trim() === "" ? ({ note }: Entry) => note !== "Fact" : (_: Entry, i: number) => has.has(i);
  return entries.filter(wanted).slice(0, SHOWN);
}

const SHOWN = 40;

function wordsOf(cell: Cell): string {
  if (cell.kind === "note") return cell.input.text;
  if (cell.kind === "source") return cell.input.documents.map(({ title }) => title).join(" ");
  if (cell.kind === "questions") return cell.input.text;
  if (cell.kind === "ask")
    return (cell.output?.history ?? []).map(({ answer }) => `${answer.question} ${answer.text}`).join(" ");
  return "";
}

function firstWords(cell: Cell): string {
  if (cell.kind !== "note") return "";
  const [line = ""] = cell.input.text
    .replace(/[#*_`>]/g, "")
    .trim()
    .split("\n");
  return line.length <= LINE ? line : `${line.slice(0, LINE).replace(/\s+\S*$/, "")}…`;
}

const LINE = 50;
