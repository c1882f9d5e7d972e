/** @file The answer to one question: the best sentence, or what the model says of several, and the other recalled sentences. */

import type { ReactNode } from "react";
import { INSTEAD, MARK, shownText, type Answer, type PartAnswer } from "../../../records/answer.ts";
import type { FactRow } from "../../../records/notebook.ts";
import { evidenceOf, type CitedFact } from "./history.ts";
import { Stack, Text } from "../../controls/layout.tsx";
import { SENTENCES_SHOWN } from "../../../records/judge.ts";
import { Said } from "../../facts/Recalled.tsx";
import { counted } from "../../format.ts";
import { usePrinting } from "../../controls/printing.ts";
import { Tooltip } from "../../controls/Tooltip.tsx";
import { cx } from "../../cx.ts";
import { layerColor } from "../../layerColor.ts";
import { FirstOf } from "../../table/FirstOf.tsx";
import s from "./ExchangeView.module.css";

interface PartProps {
  readonly part: PartAnswer;
  readonly answer: Answer;
  readonly rows: ReadonlyMap<string, FactRow> | null;
  /** The part is shown under its own question. */
  readonly named: boolean;
  readonly onOpen: (fact: CitedFact) => void;
}

/** The best sentence in large letters with the words that answer marked, or what the model says; below it the other sentences. */
export function PartView({ part, answer, rows, named, onOpen }: PartProps) {
  const evidence = evidenceOf(answer, part, rows);
  const best = evidence.find(({ fact }) => fact.id === part.best?.id);
  return (
    <div className={s.part}>
      {named && (
        <Text as="p" tone="soft" size="s">
          {part.question}
        </Text>
      )}
      {best ? (
        <Answered>
          <Marked fact={best.fact} span={part.best?.span ?? null} />
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
      <Evidence facts={evidence.filter((one) => one !== best)} onOpen={onOpen} />
    </div>
  );
}

const EMPTY = "The memory is empty. Memorise a text, then ask.";

const Answered = ({ children }: { readonly children: ReactNode }) => (
  <Text as="p" font="serif" size="xl" measure style={{ paddingBlock: "0.2rem 0.35rem", lineHeight: 1.4 }}>
    {children}
  </Text>
);

/** The text of a fact with a part of it marked. */
function Marked({
  fact,
  span,
}: {
  readonly fact: CitedFact["fact"];
  readonly span: readonly [number, number] | null;
}) {
  if (fact.text === "") return <Said id={fact.id} />;
  if (!span) return fact.text;
  return (
    <>
      {fact.text.slice(0, span[0])}
      <mark className={s.marked}>{fact.text.slice(...span)}</mark>
      {fact.text.slice(span[1])}
    </>
  );
}

const NotExact = ({ cited: { fact } }: { readonly cited: CitedFact }) =>
  fact.exact === false && (
    <Text tone="ochre" font="sans" size="s">
      {" "}
      not word for word
    </Text>
  );

function Evidence({ facts, onOpen }: Pick<PartProps, "onOpen"> & { readonly facts: readonly CitedFact[] }) {
  if (facts.length === 0) return null;
  return (
    <FirstOf
      items={facts}
      first={SENTENCES_SHOWN - 1}
      more={(_, rest) => `Show ${counted(rest, "more recalled sentence")}`}
    >
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
              {cited.fact.text === "" ? <Said id={cited.fact.id} /> : cited.fact.text}
              <Citation cited={cited} onOpen={() => onOpen(cited)} />
              <NotExact cited={cited} />
            </Text>
          ))}
        </Stack>
      )}
    </FirstOf>
  );
}

interface CitationProps {
  readonly cited: CitedFact;
  readonly onOpen: () => void;
}

function Citation({ cited: { key, fact, gone }, onOpen }: CitationProps) {
  const printing = usePrinting();
  const look = {
    className: cx(s.citation, gone && s.gone),
    style: { "--layer": layerColor(fact.layer) } as React.CSSProperties,
  };
  if (printing) return <span {...look}>{key}</span>;
  const words = gone ? `${key}: deleted since this answer` : fact.text || `${key}: kept without words`;
  return (
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
  );
}
