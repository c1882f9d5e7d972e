/** @file The texts of a source cell, and the files that are on their way in: one line each, with its state. */

import { useMemo, type ReactNode } from "react";
import type { DocumentId } from "../../../records/ids.ts";
import type { SourceEntry } from "../../../records/notebook.ts";
import type { IncomingItem } from "../../../state/core.ts";
import { useActions, useApp, useCanWrite } from "../../app.tsx";
import {
  Badge,
  Button,
  IconButton,
  Icon,
  type IconName,
  cx,
  Row,
  Stack,
  Text,
  Note,
} from "../../controls/basics.tsx";
import { Select } from "../../controls/Field.tsx";
import { messageOf } from "../../../lib/assert.ts";
import { toast } from "../../controls/page.ts";
import { bytes, count, counted } from "../../format.ts";
import { countMarks, useMarks, type Filter } from "./reader/runs.ts";
import type { SourceInfo } from "../../../records/memory.ts";
import s from "./TextList.module.css";

interface TextListProps {
  readonly cellId: string;
  readonly documents: readonly SourceEntry[];
  readonly filter: Filter;
  readonly shown: DocumentId | null;
  readonly onShow: (id: DocumentId) => void;
}

export function TextList({ cellId, documents, filter, shown, onShow }: TextListProps) {
  const incoming = useApp((state) => state.incoming[cellId]) ?? NONE;
  return documents.length + incoming.length === 0 ? null : (
    <Stack as="ul" plainList aria-label="Texts">
      {documents.map((entry) => (
        <DocumentLine
          key={entry.id}
          {...{ cellId, entry, filter, onShow }}
          alone={documents.length === 1}
          shown={entry.id === shown}
        />
      ))}
      {incoming.map((item) => (
        <IncomingLine key={item.id} cellId={cellId} item={item} />
      ))}
    </Stack>
  );
}

interface LineProps {
  readonly icon: IconName;
  readonly name: ReactNode;
  readonly about: string;
  readonly children: ReactNode;
  readonly badge: ReactNode;
  readonly tools: ReactNode;
  readonly shown?: boolean;
}

const Line = ({ icon, name, about, children, badge, tools, shown = false }: LineProps) => (
  <Row as="li" wrap align="baseline" gap="0.2rem var(--space-3)" className={cx(s.line, shown && s.shown)}>
    <Icon name={icon} size={16} />
    <Stack shrinks style={{ flex: "1 1 8rem" }}>
      {name}
      <Note as="span">{about}</Note>
      {children}
    </Stack>
    <Text whiteSpace="nowrap" role="status">
      {badge}
    </Text>
    {tools}
  </Row>
);

const Name = ({ children }: { readonly children: string }) => (
  <Text font="serif" size="l" anywhere className={s.title}>
    {children}
  </Text>
);

interface DocumentLineProps extends Pick<TextListProps, "cellId" | "filter" | "onShow"> {
  readonly entry: SourceEntry;
  readonly alone: boolean;
  readonly shown: boolean;
}

function DocumentLine({ cellId, entry, filter, alone, shown, onShow }: DocumentLineProps) {
  const { setInput, undo, canReadAgain } = useActions();
  const canWrite = useCanWrite();
  const { id, title, kept, notes } = entry;
  const source = useApp(({ memory }) => memory.info?.sources.find((one) => one.id === id) ?? null);
  const pending = useApp(({ memory }) => (memory.info?.pending ?? 0) > 0);
  const remembered = useApp(({ memory }) => memory.facts?.some(({ documentId }) => documentId === id));
  const { value: marks } = useMarks(id, filter, kept && entry.characters <= COUNTED_UNASKED);
  const counts = useMemo(() => source ?? (marks && countMarks(marks)), [source, marks]);
  const remove = (): void => {
    setInput(cellId, "source", (input) => ({
      ...input,
      documents: input.documents.filter((one) => one.id !== id),
    }));
    toast.undoable(`“${title}” was removed${source ? "; what is memorised of it stays" : ""}.`, undo);
  };
  const memorised = !source ? "ready" : pending ? "in part memorised, kept" : "memorised, kept";
  return (
    <Line
      icon={kept ? "file" : "book"}
      shown={shown && !alone}
      name={
        alone ? (
          <Name>{title}</Name>
        ) : (
          <button type="button" className={s.open} aria-pressed={shown} onClick={() => onShow(id)}>
            <Name>{title}</Name>
          </button>
        )
      }
      about={entryFacts(entry, counts)}
      badge={
        kept ? (
          <Badge tone="verdigris">{memorised}</Badge>
        ) : (
          <Badge>{source || remembered ? "forgotten" : "not in this browser"}</Badge>
        )
      }
      tools={canWrite && <IconButton icon="close" size="s" label={`Remove “${title}”`} onClick={remove} />}
    >
      {notes.map((note) => (
        <Remark key={note} text={note} />
      ))}
      {canWrite && kept && canReadAgain(id) && <ReadAgain cellId={cellId} entry={entry} />}
    </Line>
  );
}

function Remark({ text }: { readonly text: string }) {
  const [head, ...parts] = text.split("\n");
  return parts.length === 0 ? (
    <Text tone="ochre" size="s">
      {head}
    </Text>
  ) : (
    <Text as="details" tone="ochre" size="s">
      <summary>{head}</summary>
      <ul>
        {parts.map((part, i) => (
          <li key={i}>{part}</li>
        ))}
      </ul>
    </Text>
  );
}

function ReadAgain({ cellId, entry }: { readonly cellId: string; readonly entry: SourceEntry }) {
  const { readAgain } = useActions();
  const { id, title, encoding, notes } = entry;
  const again = (options: Parameters<typeof readAgain>[2]): void =>
    void readAgain(cellId, id, options).catch((error: unknown) => toast.failed(messageOf(error)));
  const guessed = notes.some((note) => note.includes("a guess"));
  const others = [...new Set([encoding ?? "", ...ENCODINGS])].map((value) => ({ value, label: value }));
  return (
    <>
      {encoding !== null && (guessed || encoding !== "utf-8") && (
        <Select
          label={`Encoding of “${title}”`}
          hideLabel
          value={encoding}
          options={others}
          onChange={(next) => again({ encoding: next })}
        />
      )}
      {notes.some((note) => note.includes("has a copyright page, which is part")) && (
        <Button look="quiet" size="s" onClick={() => again({ withoutCopyright: true })}>
          Leave the copyright page out
        </Button>
      )}
    </>
  );
}

const ENCODINGS =
  "utf-8 windows-1252 gb18030 shift_jis windows-1251 big5 euc-kr euc-jp windows-1250 iso-8859-2 koi8-r windows-1253 windows-1254 windows-1255 windows-1256 utf-16le utf-16be".split(
    " ",
  );

function IncomingLine({ cellId, item }: { readonly cellId: string; readonly item: IncomingItem }) {
  const { dropIncoming, retryIncoming } = useActions();
  const { id, status, name, problem } = item;
  const drop = (): void => dropIncoming(cellId, id);
  return (
    <Line
      icon={status === "failed" ? "warning" : "file"}
      name={<Name>{name}</Name>}
      about={bytes(item.bytes)}
      badge={<Badge tone={TONES[status]}>{STATES[status]}</Badge>}
      tools={
        <>
          {status === "failed" && (
            <Button look="quiet" size="s" icon="retry" onClick={() => void retryIncoming(cellId, id)}>
              Try again
            </Button>
          )}
          {status !== "reading" && (
            <IconButton icon="close" size="s" label={`Remove ${name}`} onClick={drop} />
          )}
        </>
      }
    >
      {status === "failed" && problem && (
        <Text tone="rubric" size="s" anywhere role="alert">
          {problem.message}
        </Text>
      )}
      {status === "duplicate" && (
        <Text tone="ochre" size="s">
          The same text as “{item.sameAs}”; it is in the list once.
        </Text>
      )}
    </Line>
  );
}

const COUNTED_UNASKED = 1_000_000;

const STATES = {
  waiting: "waiting",
  reading: "reading…",
  failed: "not read",
  duplicate: "duplicate",
} as const;
const TONES = { waiting: "plain", reading: "lapis", failed: "rubric", duplicate: "ochre" } as const;
const NONE: readonly IncomingItem[] = [];

export function entryFacts(entry: SourceEntry, counts: Pick<SourceInfo, "sentences" | "candidates"> | null) {
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
