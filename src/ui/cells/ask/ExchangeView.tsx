/** @file A question, the answers to its parts and, folded, the trace; and questions to begin with. */

import { createContext, useContext, useState, type ReactNode, useEffect } from "react";
import { documentOf, type FactId } from "../../../records/ids.ts";
import type { FactRow } from "../../../records/notebook.ts";
import {
  IconButton,
  Tooltip,
  Row,
  Text,
  Stack,
  usePrinting,
  cx,
  Note,
  Button,
} from "../../controls/basics.tsx";
import { lazily } from "../../controls/useAsync.tsx";
import { Disclosure } from "../../controls/Dialog.tsx";
import {
  citedFacts,
  sinceDeleted,
  type CitedFact,
  type Exchange,
  evidenceOf,
  failureStage,
  doubtText,
  traceLine,
} from "./stages.ts";
import { settingsLine } from "../../parameters/ReadSettings.tsx";
import { INSTEAD, MARK, shownText, type Answer, type PartAnswer } from "../../../records/answer.ts";
import { SENTENCES_SHOWN } from "../../../records/judge.ts";
import { MarkedText, SaidSince, Stamped } from "../../facts/Recalled.tsx";
import { layerColor } from "../../charts/kit/scale.ts";
import { FirstOf } from "../../table/Table.tsx";
import s from "./ExchangeView.module.css";
import { isGoing, somethingGoes } from "../../../state/runs.ts";
import { useActions, useApp, useCanWrite, useFactRows, useNotebook, useRun } from "../../app.tsx";

const Trace = lazily(async () => (await import("./Trace.tsx")).Trace, "20rem");

interface ExchangeProps {
  readonly exchange: Exchange;
  readonly rows: ReadonlyMap<string, FactRow> | null;
  readonly onInspect?: (id: FactId) => void;
  readonly onAskAgain?: (question: string) => void;
  readonly onRemove?: (at: string) => void;
  readonly canWrite: boolean;
}

export function ExchangeView({ exchange, rows, canWrite, ...on }: ExchangeProps) {
  const { answer, stamp } = exchange;
  const [open, setOpen] = useState(false);
  const [lit, setLit] = useState<FactId | null>(null);
  const parts = answer.asked;
  const failure =
    rows && rows.size > 0 && !parts.some(({ best }) => best) ? failureStage(answer, rows) : null;
  const openFact = ({ fact, gone }: CitedFact): void => {
    setLit(fact.id);
    if (gone) setOpen(true);
    else on.onInspect?.(fact.id);
  };
  return (
    <article className={s.exchange} aria-label={`Question: ${answer.question}`}>
      <Row align="start" gap="1rem" justify="between">
        <Text as="p" tone="soft" font="serif" italic whiteSpace="pre-line">
          {answer.question}
        </Text>
        {canWrite && (
          <Row as="span" flex="fixed" inline className={s.tools}>
            <IconButton
              icon="retry"
              size="s"
              label="Ask this again"
              onClick={() => on.onAskAgain?.(answer.question)}
            />
            <IconButton
              icon="close"
              size="s"
              label="Remove this question and its answer"
              onClick={() => on.onRemove?.(stamp.at)}
            />
          </Row>
        )}
      </Row>
      {parts.map((part, i) => (
        <PartView key={i} {...{ part, answer, rows }} onOpen={openFact} named={parts.length > 1} />
      ))}
      {failure && (
        <Text as="p" measure style={{ paddingTop: "0.2rem" }}>
          <Text tone="rubric">{FAILED[failure.name]}</Text> {failure.brief ?? failure.text}
        </Text>
      )}
      <Deleted {...{ answer, rows }} />
      <Disclosure
        open={open}
        onOpenChange={setOpen}
        summary={traceLine(answer)}
        aside={
          <Text whiteSpace="nowrap" className={s.stamp}>
            <Stamped {...stamp} />
          </Text>
        }
      >
        <Found {...{ answer, rows, lit }} onInspect={on.onInspect} />
      </Disclosure>
    </article>
  );
}

/** How an answer was found, and with which settings. */
export const Found = ({
  answer,
  rows,
  lit = null,
  onInspect,
}: Pick<PartProps, "answer" | "rows"> &
  Readonly<{ lit?: FactId | null; onInspect: ExchangeProps["onInspect"] }>) => (
  <>
    {rows ? (
      <Trace {...{ answer, rows, lit, onInspect }} />
    ) : (
      <Note above={3}>The facts of the memory are not read yet.</Note>
    )}
    <Note above={3}>Asked with {settingsLine(answer.settings)}.</Note>
  </>
);

const FAILED = {
  routing: "No sentence was found.",
  gate: "No sentence was recalled.",
  reconstruction: "A sentence was not recalled exactly.",
  answer: "There is no short answer.",
} as const;

function Deleted({ answer, rows }: Pick<PartProps, "answer" | "rows">) {
  const note = sinceDeleted(citedFacts(answer, rows), rows);
  return (
    note && (
      <Text as="p" measure tone="ochre" style={{ paddingTop: "0.2rem" }}>
        {note}
      </Text>
    )
  );
}

/** A question and the answers to its parts, without those from deleted facts. A cited fact opens in the inspector. */
export function Answering({
  answer,
  rows,
  size,
}: Pick<PartProps, "answer" | "rows"> & { readonly size?: "xl" }) {
  const { inspect } = useActions();
  const left = answer.asked.filter((part) => {
    const facts = citedFacts({ ...answer, ...part, asked: [part] }, rows);
    return facts.length === 0 || facts.some(({ gone }) => !gone);
  });
  return (
    <>
      <Text as="p" tone="soft" font="serif" italic {...(size && { size })}>
        {answer.question}
      </Text>
      {left.map((part, i) => (
        <PartView
          key={i}
          {...{ part, answer, rows, named: answer.asked.length > 1 }}
          onOpen={({ fact }) => inspect(fact.id)}
        />
      ))}
      <Deleted {...{ answer, rows }} />
    </>
  );
}

interface PartProps {
  readonly part: PartAnswer;
  readonly answer: Answer;
  readonly rows: ReadonlyMap<string, FactRow> | null;
  readonly named: boolean;
  readonly onOpen: (fact: CitedFact) => void;
}

export function PartView({ part, answer, rows, named, onOpen }: PartProps) {
  const evidence = evidenceOf(answer, part, rows);
  const best = evidence.find(({ fact }) => fact.id === part.best?.id);
  const doubt = best && !part.best?.span ? doubtText(part) : "";
  return (
    <div className={s.part}>
      {named && <Note>{part.question}</Note>}
      {best ? (
        <Answered size={doubt ? "l" : "xl"}>
          <Sentence cited={best} span={part.best?.span ?? null} />
          <Citation cited={best} onOpen={() => onOpen(best)} />
          <NotExact cited={best} />
        </Answered>
      ) : INSTEAD[part.verdict] !== null ? (
        <p className={s.nothing}>{rows?.size === 0 ? EMPTY : shownText(part, answer)}</p>
      ) : (
        <Answered>
          <Text font="sans" size="s" tone="soft">
            The model says:{" "}
          </Text>
          {part.text}
          {evidence
            .filter(({ key }) => part.cited.includes(key))
            .map((fact) => (
              <Citation key={fact.key} cited={fact} onOpen={() => onOpen(fact)} />
            ))}
          {MARK[part.verdict] && <span className={s.doubt}>{MARK[part.verdict]}</span>}
        </Answered>
      )}
      {doubt && <Note>{doubt}</Note>}
      {evidence.length === 0 && part.verdict === "not in memory" && rows?.size !== 0 && (
        <Note>{HOW_TO_ASK}</Note>
      )}
      {part.verdict === "not in memory" && evidence.length > 0 && <Note>These sentences come nearest:</Note>}
      <Evidence
        facts={evidence.filter((one) => one !== best)}
        first={SENTENCES_SHOWN - Number(best !== undefined)}
        onOpen={onOpen}
      />
    </div>
  );
}

const HOW_TO_ASK = "Ask with words of the text: the memory finds sentences and does not summarise.";
export const EMPTY = "The memory is empty. Memorise a text, then ask.";

const Answered = ({
  size = "xl",
  children,
}: {
  readonly size?: "l" | "xl";
  readonly children: ReactNode;
}) => (
  <Text as="p" font="serif" size={size} measure style={{ paddingBlock: "0.2rem 0.35rem", lineHeight: 1.4 }}>
    {children}
  </Text>
);

interface SentenceProps {
  readonly cited: CitedFact;
  readonly span: readonly [number, number] | null;
}

function Sentence({ cited: { fact, gone }, span }: SentenceProps) {
  const { text } = fact;
  if (text === "") return <SaidSince {...{ fact, span, gone }} />;
  return span ? <MarkedText text={text} span={span} /> : text;
}

const NotExact = ({ cited: { fact } }: { readonly cited: CitedFact }) =>
  fact.exact === false && (
    <Text tone="ochre" font="sans" size="s">
      {" "}
      not word for word
    </Text>
  );

interface EvidenceProps extends Pick<PartProps, "onOpen"> {
  readonly facts: readonly CitedFact[];
  readonly first: number;
}

const Evidence = ({ facts, first, onOpen }: EvidenceProps) =>
  facts.length === 0 ? null : (
    <FirstOf items={facts} first={first} more="more recalled sentence">
      {(shown) => (
        <Stack
          as="ol"
          gap="0.3rem"
          measure
          className={s.evidence}
          aria-label="Recalled sentences, nearest to the question first"
        >
          {shown.map((cited) => (
            <Text as="li" key={cited.fact.id} font="serif" style={{ lineHeight: 1.45 }}>
              <Sentence cited={cited} span={null} />
              <Citation cited={cited} onOpen={() => onOpen(cited)} />
              <NotExact cited={cited} />
            </Text>
          ))}
        </Stack>
      )}
    </FirstOf>
  );

/** The titles of documents by id; empty if the memory has only one document. */
export const DocumentTitles = createContext<ReadonlyMap<string, string>>(new Map());

const LONGEST_TITLE = 40;
const cut = (title: string): string => {
  const characters = [...title];
  return characters.length > LONGEST_TITLE ? `${characters.slice(0, LONGEST_TITLE).join("")}…` : title;
};

function Citation({
  cited: { key, fact, gone },
  onOpen,
}: Readonly<{ cited: CitedFact; onOpen: () => void }>) {
  const printing = usePrinting();
  const title = useContext(DocumentTitles).get(documentOf(fact.id));
  const look = {
    className: cx(s.citation, gone && s.gone),
    style: { "--layer": layerColor(fact.layer) } as React.CSSProperties,
  };
  if (printing) return <span {...look}>{key}</span>;
  const words = gone ? `${key}: deleted since this answer` : fact.text || `${key}: kept without words`;
  return (
    <>
      <Tooltip text={words}>
        <button
          type="button"
          {...look}
          aria-label={gone ? `${key}, deleted since; show in the trace` : `${key}: open this fact`}
          onClick={onOpen}
        >
          {key}
        </button>
      </Tooltip>
      {title && (
        <Text font="sans" size="s" tone="soft">
          {" "}
          {cut(title)}
        </Text>
      )}
    </>
  );
}

export function Suggestions({
  cellId,
  onAsk,
}: Readonly<{ cellId: string; onAsk: (question: string) => void }>) {
  const { cells } = useNotebook();
  const canWrite = useCanWrite();
  const busy = isGoing(useRun(cellId));
  const suggested = useSuggestions();
  const cell = cells.find(({ id }) => id === cellId);
  const history = cell?.kind === "ask" ? (cell.output?.history ?? []) : [];
  const left = suggested.filter((question) => !history.some(({ answer }) => answer.question === question));
  return left.length === 0 || !canWrite ? null : (
    <Stack gap={1} role="group" aria-label="Suggested questions">
      <Note>{history.length === 0 ? "Questions that this memory answers" : "Ask another"}</Note>
      <Row wrap gap={2}>
        {left.map((question) => (
          <Button
            key={question}
            size="s"
            disabled={busy}
            label={question}
            style={{ paddingBlock: "0.2rem", textAlign: "start", whiteSpace: "normal" }}
            onClick={() => onAsk(question)}
          />
        ))}
      </Row>
    </Stack>
  );
}

export function useAsk(cellId: string): (question: string) => void {
  const { setInput, runCell } = useActions();
  return (question) => {
    setInput(cellId, "ask", { question });
    void runCell(cellId);
  };
}

function useSuggestions(): readonly string[] {
  const { suggestQuestions } = useActions();
  const rows = useFactRows();
  const leaving = useApp(({ memory }) => memory.leaving);
  const suggested = useApp(({ memory }) => memory.suggested);
  const fromExample = useApp(({ memory }) => memory.fromExample);
  const said = useApp(({ memory }) => memory.said.size);
  const open = useApp(({ device }) => device.model !== null);
  const busy = useApp(somethingGoes);
  const readBack = rows !== null && rows.length > 0 && said >= Math.min(rows.length, READ_BACK);
  const wanted = readBack && open && !busy && !fromExample && suggested.length === 0;
  useEffect(() => {
    if (wanted) void suggestQuestions();
  }, [wanted, rows, leaving, suggestQuestions]);
  return suggested;
}

const READ_BACK = 300;
