/** @file One document: its text while it is kept, the palimpsest when it is forgotten, and the fading between. */

import type { MethodParams } from "../../../records/params.ts";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { FactId } from "../../../records/ids.ts";
import type { FactRow, SourceEntry } from "../../../records/notebook.ts";
import { useActions, useApp, useNotebook, useServices } from "../../app.tsx";
import { Notice } from "../../controls/Badge.tsx";
import { useAsync } from "../../controls/useAsync.ts";
import { rewritten } from "../../facts/words.ts";
import { Palimpsest } from "./palimpsest/Palimpsest.tsx";
import { factsOf } from "./reader/neighbour.ts";
import { Reader } from "./reader/Reader.tsx";
import { useMarks } from "./useMarks.ts";
import { Text } from "../../controls/layout.tsx";

export interface DocumentViewProps {
  readonly entry: SourceEntry;
  readonly filter: MethodParams["candidateFilter"];
  readonly target: { readonly offset: number } | null;
}

export function DocumentView({ entry, filter, target }: DocumentViewProps) {
  const { inspect } = useActions();
  const facts = useFacts(entry);
  const saved = useApp(({ memory }) => memory.fromExample);
  const notebook = useNotebook();
  const changed = useMemo(() => rewritten(notebook, facts ?? NONE), [notebook, facts]);
  const fading = useFading(entry.kept);
  const openFact = useCallback((id: FactId) => inspect({ kind: "fact", id }), [inspect]);
  if (entry.kept || fading)
    return (
      <Kept
        entry={entry}
        filter={filter}
        target={target}
        facts={facts ?? NONE}
        fading={fading}
        onOpenFact={openFact}
      />
    );
  if (!facts)
    return (
      <Text as="p" tone="soft">
        Reading what the memory holds…
      </Text>
    );
  return (
    <Palimpsest
      title={entry.title}
      characters={entry.characters}
      facts={facts}
      changed={changed}
      target={target}
      saved={saved}
      onOpenFact={openFact}
    />
  );
}

function Kept({
  entry,
  filter,
  ...rest
}: DocumentViewProps & {
  readonly facts: readonly FactRow[];
  readonly fading: boolean;
  readonly onOpenFact: (id: FactId) => void;
}) {
  const { library } = useServices();
  const { id, title, characters } = entry;
  const readRange = useCallback(
    (start: number, end: number) => library().readText({ id, start, end }),
    [library, id],
  );
  // First the words, then the marks: both come from one worker.
  const [seen, setSeen] = useState(false);
  const marks = useMarks(id, filter, entry.kept && seen);
  const pageStarts = usePageStarts(entry);
  return (
    <>
      {marks.status === "failed" && <Notice tone="ochre">{marks.message}</Notice>}
      <Reader
        title={title}
        characters={characters}
        readRange={readRange}
        marks={marks.value}
        filter={filter}
        pageStarts={pageStarts}
        onSeen={setSeen}
        {...rest}
      />
    </>
  );
}

/** The facts of the document by offset, without those on their way out; null while the memory is being read. */
function useFacts({ id }: SourceEntry): readonly FactRow[] | null {
  const { loadFacts } = useActions();
  const rows = useApp(({ memory }) => memory.facts);
  const leaving = useApp(({ memory }) => memory.leaving);
  useEffect(() => {
    if (!rows) void loadFacts();
  }, [rows, loadFacts]);
  return useMemo(() => rows && factsOf(rows, id).filter((row) => !leaving.has(row.id)), [rows, id, leaving]);
}

function usePageStarts({ id, pages, kept }: SourceEntry): readonly number[] {
  const { library } = useServices();
  const wanted = pages !== null && kept;
  // Without pages the reader shows the position in characters.
  return (
    useAsync(() => library().pageStarts({ id }), [library, id], { wanted, keep: true }).value ?? NO_PAGES
  );
}

/** True for a moment after a text that was on the page is thrown away. */
function useFading(kept: boolean): boolean {
  const before = useRef(kept);
  const [fading, setFading] = useState(false);
  useEffect(() => {
    const gone = before.current && !kept;
    before.current = kept;
    if (!gone || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    setFading(true);
    const timer = setTimeout(() => setFading(false), FADE_MS);
    return () => {
      clearTimeout(timer);
      setFading(false);
    };
  }, [kept]);
  // The effect runs after the first drawing without the text: that drawing fades already.
  return fading || (before.current && !kept && !matchMedia("(prefers-reduced-motion: reduce)").matches);
}

const NONE: readonly FactRow[] = [];
const NO_PAGES: readonly number[] = [];
/** As the animation in Reader.module.css. */
const FADE_MS = 1400;
