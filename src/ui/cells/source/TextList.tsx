/** @file The texts of a source cell, and the files that are on their way in: one line each, with its state. */

import { useMemo } from "react";
import type { MethodParams } from "../../../records/params.ts";
import type { DocumentId } from "../../../records/ids.ts";
import type { SourceEntry } from "../../../records/notebook.ts";
import type { IncomingItem } from "../../../state/types.ts";
import { useActions, useApp, useCanWrite } from "../../app.tsx";
import { Badge } from "../../controls/Badge.tsx";
import { Button, IconButton } from "../../controls/Button.tsx";
import { Icon } from "../../controls/Icon.tsx";
import { toast } from "../../controls/toasts.ts";
import { cx } from "../../cx.ts";
import { bytes, count, counted } from "../../format.ts";
import { countMarks } from "./reader/reasons.ts";
import { useMarks } from "./useMarks.ts";
import { Row, Stack, Text } from "../../controls/layout.tsx";
import type { SourceInfo } from "../../../records/memory.ts";
import s from "./TextList.module.css";

export function TextList({
  cellId,
  documents,
  filter,
  shown,
  onShow,
}: {
  readonly cellId: string;
  readonly documents: readonly SourceEntry[];
  /** The candidate filter that counts. */
  readonly filter: MethodParams["candidateFilter"];
  readonly shown: DocumentId | null;
  readonly onShow: (id: DocumentId) => void;
}) {
  const incoming = useApp((state) => state.incoming[cellId]) ?? NONE;
  if (documents.length + incoming.length === 0) return null;
  return (
    <Stack as="ul" plainList aria-label="Texts">
      {documents.map((entry) => (
        <DocumentLine
          key={entry.id}
          cellId={cellId}
          entry={entry}
          filter={filter}
          alone={documents.length === 1}
          shown={entry.id === shown}
          onShow={onShow}
        />
      ))}
      {incoming.map((item) => (
        <IncomingLine key={item.id} cellId={cellId} item={item} />
      ))}
    </Stack>
  );
}

function DocumentLine({
  cellId,
  entry,
  filter,
  alone,
  shown,
  onShow,
}: {
  readonly cellId: string;
  readonly entry: SourceEntry;
  readonly filter: MethodParams["candidateFilter"];
  readonly alone: boolean;
  readonly shown: boolean;
  readonly onShow: (id: DocumentId) => void;
}) {
  const { setInput, undo } = useActions();
  const canWrite = useCanWrite();
  const source = useApp(({ memory }) => memory.info?.sources.find(({ id }) => id === entry.id) ?? null);
  const pending = useApp(({ memory }) => (memory.info?.pending ?? 0) > 0);
  const remembered = useApp(
    ({ memory }) => memory.facts?.some(({ documentId }) => documentId === entry.id) ?? false,
  );
  const { value: marks } = useMarks(entry.id, filter, entry.kept && entry.characters <= COUNTED_UNASKED);
  const counts = useMemo(() => source ?? (marks && countMarks(marks)), [source, marks]);
  const remove = (): void => {
    setInput(cellId, "source", (input) => ({
      ...input,
      documents: input.documents.filter(({ id }) => id !== entry.id),
    }));
    const rest = source ? "; what is memorised of it stays" : "";
    toast.undoable(`“${entry.title}” was removed${rest}.`, undo);
  };
  const name = (
    <Text font="serif" size="l" anywhere className={s.title}>
      {entry.title}
    </Text>
  );
  return (
    <Row
      as="li"
      wrap
      align="baseline"
      gap="0.2rem var(--space-3)"
      className={cx(s.line, shown && !alone && s.shown)}
    >
      <Icon name={entry.kept ? "file" : "book"} size={16} />
      <Stack shrinks style={{ flex: "1 1 12rem" }}>
        {alone ? (
          name
        ) : (
          <button type="button" className={s.open} aria-pressed={shown} onClick={() => onShow(entry.id)}>
            {name}
          </button>
        )}
        <Text tone="soft" size="s">
          {entryFacts(entry, counts)}
        </Text>
        {entry.notes.map((note) => (
          <span key={note} className={s.note}>
            {note}
          </span>
        ))}
      </Stack>
      <Text whiteSpace="nowrap">
        {entry.kept ? (
          <Badge tone="verdigris">
            {!source ? "ready" : pending ? "in part memorised, kept" : "memorised, kept"}
          </Badge>
        ) : (
          <Badge>{source || remembered ? "forgotten" : "not in this browser"}</Badge>
        )}
      </Text>
      {canWrite && <IconButton icon="close" size="s" label={`Remove “${entry.title}”`} onClick={remove} />}
    </Row>
  );
}

function IncomingLine({ cellId, item }: { readonly cellId: string; readonly item: IncomingItem }) {
  const { dropIncoming, retryIncoming } = useActions();
  const { status, name, problem } = item;
  return (
    <Row as="li" wrap align="baseline" gap="0.2rem var(--space-3)" className={s.line}>
      <Icon name={status === "failed" ? "warning" : "file"} size={16} />
      <Stack shrinks style={{ flex: "1 1 12rem" }}>
        <Text font="serif" size="l" anywhere className={s.title}>
          {name}
        </Text>
        <Text tone="soft" size="s">
          {bytes(item.bytes)}
        </Text>
        {status === "failed" && problem && (
          <Text tone="rubric" size="s" anywhere role="alert">
            {problem.message}
          </Text>
        )}
        {status === "duplicate" && (
          <span className={s.note}>The same text as “{item.sameAs}”; it is in the list once.</span>
        )}
      </Stack>
      <Text whiteSpace="nowrap" role="status">
        <Badge tone={TONES[status]}>{STATES[status]}</Badge>
      </Text>
      {status === "failed" && (
        <Button look="quiet" size="s" icon="retry" onClick={() => void retryIncoming(cellId, item.id)}>
          Try again
        </Button>
      )}
      {status !== "reading" && (
        <IconButton
          icon="close"
          size="s"
          label={`Remove ${name}`}
          onClick={() => dropIncoming(cellId, item.id)}
        />
      )}
    </Row>
  );
}

/** Longer texts are analysed when they are opened. */
const COUNTED_UNASKED = 1_000_000;

const STATES = {
  waiting: "waiting",
  reading: "reading…",
  failed: "not read",
  duplicate: "duplicate",
} as const;
const TONES = { waiting: "plain", reading: "lapis", failed: "rubric", duplicate: "ochre" } as const;
const NONE: readonly IncomingItem[] = [];

/** E.g. "txt, utf-8, 4,372 characters, 104 sentences, 43 of them candidates". `counts` null: not analysed yet. */
export function entryFacts(
  entry: SourceEntry,
  counts: Pick<SourceInfo, "sentences" | "candidates"> | null,
): string {
  const { format, encoding, characters, pages } = entry;
  return [
    format,
    ...(encoding ? [encoding] : []),
    ...(pages === null ? [] : [counted(pages, "page")]),
    counted(characters, "character"),
    ...(counts
      ? [`${counted(counts.sentences, "sentence")}, ${count(counts.candidates)} of them candidates`]
      : []),
  ].join(", ");
}
