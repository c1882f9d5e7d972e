/** @file The first screen's place for one's own text: dropped, chosen or pasted, it is memorised, and questions about it are offered. */

import { useRef, useState, type FormEvent, type ReactNode, useMemo } from "react";
import { firstOf } from "../../notebook/kinds.ts";
import { isGoing, somethingGoes } from "../../state/runs.ts";
import { useActions, useApp, useNotebook, useRun, useFactRows, useFactsById } from "../app.tsx";
import { Answering, Found, Suggestions, useAsk } from "../cells/ask/ExchangeView.tsx";
import { traceLine, type Exchange } from "../cells/ask/stages.ts";
import { leftText, shareDone, spoken } from "../cells/frame/RunLive.tsx";
import {
  ACCEPT,
  accepted,
  pastedName,
  DropZone,
  usePageDrop,
  type NamedFile,
} from "../controls/DropZone.tsx";
import { Button, Grid, Note, Row, Stack, Text, Soft } from "../controls/basics.tsx";
import { Disclosure } from "../controls/Dialog.tsx";
import { TextArea, TextField } from "../controls/Field.tsx";
import { goToCell, isStill } from "../controls/page.ts";
import { Progress } from "../controls/useAsync.tsx";
import { counted, count } from "../format.ts";
import s from "./Opening.module.css";
import type { FactRow, SourceEntry } from "../../records/notebook.ts";
import { OpenModel, useReadBack } from "../facts/Recalled.tsx";
import { LeafView } from "../cells/source/palimpsest/Palimpsest.tsx";
import { factsOf, leavesOf, segmentsOf } from "../cells/source/palimpsest/leaves.ts";

/** @param everywhere files dropped outside all cells come here */
export function WayIn({ everywhere }: { readonly everywhere: boolean }) {
  const { beginWith } = useActions();
  const [text, setText] = useState("");
  const busy = useApp(somethingGoes);
  const begin = (files: readonly NamedFile[]): void => {
    const good = accepted(files);
    if (good.length === 0) return;
    scrollTo({ top: 0 });
    void beginWith(good);
  };
  const paste = (): void => begin([{ name: pastedName(text), file: new File([text], pastedName(text)) }]);
  const dragging = usePageDrop(everywhere && !busy, begin);
  return (
    <section className={s.wayIn} aria-label="Your own text">
      <DropZone
        onFiles={begin}
        accept={ACCEPT}
        disabled={busy}
        pick="Choose a file"
        actions={
          <Button
            look="primary"
            disabled={busy || text.trim() === ""}
            label="Memorise this text"
            onClick={paste}
          />
        }
      >
        <TextArea
          label={
            <Text font="serif" size="l" tone="ink">
              {dragging ? "Drop the file anywhere" : "Try your own text"}
            </Text>
          }
          value={text}
          onChange={setText}
          rows={3}
          disabled={busy}
          placeholder="Paste notes, a letter or a chapter here, or drop a file. It is read in this tab and never leaves it."
          hint="Its sentences become vectors for a small language model. Then the text is deleted, and the model answers your questions."
        />
      </DropZone>
    </section>
  );
}

export const Halves = ({ label, children }: Readonly<{ label: string; children: ReactNode }>) => (
  <Grid
    as="section"
    gap="var(--space-5) var(--space-6)"
    columns="minmax(0, 1fr) minmax(0, 1.2fr)"
    className={s.opening}
    aria-label={label}
  >
    {children}
  </Grid>
);

export const More = ({ label, onMore }: Readonly<{ label: string; onMore: () => void }>) => (
  <Button look="quiet" size="s" label={label} className={s.more} onClick={onMore} />
);

export function Begun() {
  const notebook = useNotebook();
  const source = firstOf(notebook, "source");
  const ask = firstOf(notebook, "ask");
  const memorize = firstOf(notebook, "memorize");
  const run = useRun(memorize?.id ?? "");
  const asking = isGoing(useRun(ask?.id ?? ""));
  const exchange = ask?.output?.history[0];
  const entry = source?.input.documents[0];
  return !source || !ask || !memorize ? null : (
    <Halves label="Your text in memory">
      {entry && !isGoing(run) && memorize.output ? (
        <Stack gap={2} justify="start" className={s.half}>
          <Lines entry={entry} onMore={() => goToCell(source.id)} />
          <Others entry={entry} />
        </Stack>
      ) : (
        <Stack gap={3}>
          <Note>
            {entry ? `${entry.title}: ${counted(entry.characters, "character")}` : "Reading the file"}
          </Note>
          <Memorising memorizeId={memorize.id} sourceId={source.id} />
          <Note>Its sentences become vectors of the frozen model. Then the text is deleted.</Note>
        </Stack>
      )}
      {memorize.output ? (
        <AskHere cellId={ask.id} />
      ) : (
        <Note>When this is done, ask your questions here.</Note>
      )}
      {exchange && !asking && <HowFound exchange={exchange} />}
    </Halves>
  );
}

/** Under both halves, because its tables are wide. */
export function HowFound({ exchange: { answer, stamp } }: { readonly exchange: Exchange }) {
  const { inspect } = useActions();
  const rows = useFactsById();
  return (
    <Disclosure key={stamp.at} summary={traceLine(answer)} style={{ gridColumn: "1 / -1" }}>
      <Found answer={answer} rows={rows} onInspect={inspect} />
    </Disclosure>
  );
}

function Others({ entry }: { readonly entry: SourceEntry }) {
  const rows = useFactRows();
  const others = useMemo(
    () => rows?.filter(({ documentId }) => documentId !== entry.id) ?? [],
    [rows, entry],
  );
  const documents = new Set(others.map(({ documentId }) => documentId)).size;
  return documents === 0 ? null : (
    <Note>{`In memory as well: ${counted(others.length, "sentence")} of ${counted(documents, "more document")}.`}</Note>
  );
}

function Memorising({ memorizeId, sourceId }: Readonly<Record<"memorizeId" | "sourceId", string>>) {
  const run = useRun(memorizeId);
  const items = useApp(({ incoming }) => incoming[sourceId]);
  const failed = items?.find(({ status }) => status === "failed");
  if (failed)
    return (
      <Text as="p" tone="rubric" role="alert">
        {failed.problem?.message}
      </Text>
    );
  if (!isGoing(run))
    return run?.problem ? (
      <Text as="p" tone="rubric">
        {run.problem.message}
      </Text>
    ) : (
      <Progress label="Reading" />
    );
  const line = run.progress?.kind === "flow" ? run.progress.stages.at(-1) : undefined;
  const share = shareDone(run.progress);
  return (
    <Progress
      label={line ? spoken(run).split(",")[0] : run.progress ? spoken(run) : "Opening the model"}
      detail={line && leftText(line)}
      {...(share === null ? {} : { done: share, total: 1 })}
      tone="rubric"
    />
  );
}

function AskHere({ cellId }: { readonly cellId: string }) {
  const notebook = useNotebook();
  const run = useRun(cellId);
  const ask = useAsk(cellId);
  const rows = useFactsById();
  const [typed, setTyped] = useState<string | null>(null);
  const { input, output } = firstOf(notebook, "ask")!;
  const exchange = output?.history[0];
  // A question whose run failed or was stopped stays in the box.
  const own = typed ?? (run && !isGoing(run) ? input.question : "");
  const place = useRef<HTMLDivElement>(null);
  const askHere = (question: string): void => {
    ask(question);
    const { top } = place.current!.getBoundingClientRect();
    // The answer would be out of view, as on a phone: the box moves to the top of the screen.
    if (top < 0 || top > innerHeight / 2)
      place.current!.parentElement!.scrollIntoView({ behavior: isStill() ? "auto" : "smooth" });
  };
  return (
    <Stack gap={3} justify="start" className={s.half}>
      <Row
        as="form"
        gap={2}
        align="end"
        style={{ justifySelf: "stretch" }}
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          if (own.trim() === "" || isGoing(run)) return;
          askHere(own);
          setTyped(null);
        }}
      >
        <Text as="div" shrinks style={{ flex: 1 }}>
          <TextField
            label="Ask your own question"
            value={own}
            onChange={setTyped}
            placeholder="Ask the memory"
          />
        </Text>
        <Button type="submit" label="Ask" disabled={own.trim() === "" || isGoing(run)} />
      </Row>
      {run?.problem && (
        <Text as="p" tone="rubric" role="alert">
          {run.problem.message}
        </Text>
      )}
      <div ref={place} aria-live="polite">
        {isGoing(run) ? (
          <>
            <Text as="p" tone="soft" font="serif" italic>
              {(run.progress?.kind === "text" && run.progress.question) || input.question}
            </Text>
            <Soft>{run.progress?.kind === "load" ? spoken(run) : "Recalling…"}</Soft>
          </>
        ) : (
          exchange && <Answering answer={exchange.answer} rows={rows} />
        )}
      </div>
      {/* Last, because they come and go: the box and the answer keep their places. */}
      <Suggestions cellId={cellId} onAsk={askHere} />
    </Stack>
  );
}

export function Lines({ entry, onMore }: { readonly entry: SourceEntry; readonly onMore: () => void }) {
  const { inspect } = useActions();
  const rows = useFactRows();
  const said = useApp(({ memory }) => memory.said);
  const facts = useMemo(() => (rows ? factsOf(rows, entry.id) : []), [rows, entry]);
  const leaves = useMemo(() => {
    const segments = segmentsOf(facts, entry.characters, said);
    return leavesOf(segments.slice(segments.findIndex(({ kind }) => kind === "recalled")));
  }, [facts, entry, said]);
  const exact = facts.filter((fact) => fact.exact).length;
  const unread = useReadBack(facts);
  return (
    <Stack gap={2} justify="start" className={s.half}>
      <Note className={s.caption}>
        {`Deleted: ${counted(entry.characters, "character")} of text. `}
        {facts.length > 0 &&
          (unread
            ? `In memory: ${counted(facts.length, "sentence")}, ${unread}.`
            : `Said from memory: ${counted(facts.length, "sentence")}, ${exact === facts.length ? "each" : `${count(exact)} of them`} word for word.`)}
      </Note>
      <div className={s.page} data-page>
        {leaves.slice(0, LEAVES).map((leaf) => (
          <LeafView key={leaf.key} leaf={leaf} {...STILL} onPick={({ id }) => inspect(id)} />
        ))}
      </div>
      <Row wrap align="center" gap={2}>
        <More label="The whole page" onMore={onMore} />
        {unread && <OpenModel />}
      </Row>
    </Stack>
  );
}

const LEAVES = 2;
const STILL = {
  leaving: new Set<FactRow["id"]>(),
  changed: new Map<FactRow["id"], string>(),
  picked: null,
  arrival: () => null,
} as const;
