/** @file One document: its text while it is kept, the palimpsest when it is forgotten, and the fading between. */

import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { FactId } from "../../../records/ids.ts";
import type { FactRow, SourceEntry } from "../../../records/notebook.ts";
import { useActions, useApp, useNotebook, useServices } from "../../app.tsx";
import { Notice } from "../../controls/Badge.tsx";
import { Text } from "../../controls/layout.tsx";
import { useAsync } from "../../controls/useAsync.ts";
import { useFactRows } from "../../facts/useFactRows.ts";
import { rewritten } from "../../facts/words.ts";
import { useMarks, type Filter } from "./marks.ts";
import { Palimpsest } from "./palimpsest/Palimpsest.tsx";
import { factsOf } from "./palimpsest/segments.ts";
import { Reader } from "./reader/Reader.tsx";
import type { Target } from "./reader/Sheet.tsx";

interface DocumentProps {
  readonly entry: SourceEntry;
  readonly filter: Filter;
  readonly target: Target;
}

export function DocumentView(props: DocumentProps) {
  const { entry, target } = props;
  const { title, characters, kept } = entry;
  const { inspect } = useActions();
  const facts = useFacts(entry);
  const saved = useApp(({ memory }) => memory.fromExample);
  const notebook = useNotebook();
  const changed = useMemo(() => rewritten(notebook, facts ?? NONE), [notebook, facts]);
  const fading = useFading(kept);
  const onOpenFact = useCallback((id: FactId) => inspect({ kind: "fact", id }), [inspect]);
  if (kept || fading) return <Kept {...props} facts={facts ?? NONE} {...{ fading, onOpenFact }} />;
  if (!facts) return <Waiting>Reading what the memory holds…</Waiting>;
  return <Palimpsest {...{ title, characters, facts, changed, target, saved, onOpenFact }} />;
}

const Waiting = ({ children }: { readonly children: string }) => (
  <Text as="p" tone="soft">
    {children}
  </Text>
);

function Kept({
  entry: { id, title, characters, pages, kept },
  ...rest
}: DocumentProps & {
  readonly facts: readonly FactRow[];
  readonly fading: boolean;
  readonly onOpenFact: (id: FactId) => void;
}) {
  const { library } = useServices();
  const ask = () => library().readText({ id, start: 0, end: characters });
  const text = useAsync(ask, [library, id, characters], { wanted: kept, keep: true });
  // First the words, then the marks: both come from one worker.
  const marks = useMarks(id, rest.filter, kept && text.status === "there");
  // Without pages the reader shows the position in characters.
  const paged = { wanted: pages !== null && kept, keep: true };
  const pageStarts = useAsync(() => library().pageStarts({ id }), [library, id], paged).value ?? NO_PAGES;
  if (text.status === "failed")
    return (
      <Notice tone="rubric" role="alert">
        {text.message}
      </Notice>
    );
  if (text.value === null) return <Waiting>Reading the text…</Waiting>;
  return (
    <>
      {marks.status === "failed" && <Notice tone="ochre">{marks.message}</Notice>}
      <Reader title={title} text={text.value} marks={marks.value} pageStarts={pageStarts} {...rest} />
    </>
  );
}

/** The facts of the document by offset, without those on their way out; null while the memory is being read. */
function useFacts({ id }: SourceEntry): readonly FactRow[] | null {
  const rows = useFactRows();
  const leaving = useApp(({ memory }) => memory.leaving);
  return useMemo(() => rows && factsOf(rows, id).filter((row) => !leaving.has(row.id)), [rows, id, leaving]);
}

/** True for a moment after a text that was on the page is thrown away. */
function useFading(kept: boolean): boolean {
  const before = useRef(kept);
  const [fading, setFading] = useState(false);
  useEffect(() => {
    const gone = before.current && !kept;
    before.current = kept;
    if (!gone || isStill()) return;
    setFading(true);
    const timer = setTimeout(() => setFading(false), FADE_MS);
    return () => {
      clearTimeout(timer);
      setFading(false);
    };
  }, [kept]);
  // The effect runs after the first drawing without the text: that drawing fades already.
  return fading || (before.current && !kept && !isStill());
}

const isStill = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;

const NONE: readonly FactRow[] = [];
const NO_PAGES: readonly number[] = [];
/** As the animation in Reader.module.css. */
const FADE_MS = 1400;
