/** @file What is answered to one question: a short answer as far as it is supported, and the recalled sentences. */

import {
  INSTEAD,
  MARK,
  headline,
  probabilityText,
  type Answer,
  type PartAnswer,
} from "../../../records/answer.ts";
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

/** A short answer is followed by a doubt in words, and by the model's probability with its threshold. */
export function PartView({ part, answer, rows, named, onOpen }: PartProps) {
  const { verdict, probability } = part;
  const level = answer.settings.answerLevel;
  const evidence = evidenceOf(answer, part, rows);
  return (
    <div className={s.part}>
      {named && (
        <Text as="p" tone="soft" size="s">
          {part.question}
        </Text>
      )}
      {INSTEAD[verdict] !== null ? (
        <p className={s.nothing}>{headline(part)}</p>
      ) : (
        <Text as="p" font="serif" size="xl" style={{ paddingBlock: "0.2rem 0.35rem", lineHeight: 1.4 }}>
          {part.text}
          {evidence
            .filter(({ key }) => part.cited.includes(key))
            .map((fact) => (
              <Citation key={fact.key} cited={fact} onOpen={() => onOpen(fact)} />
            ))}
          {MARK[verdict] && <span className={s.doubt}>{MARK[verdict]}</span>}
          {probability !== null && level > 0 && (
            <span className={s.probability}>
              probability {probabilityText(probability)}, shown from {level.toFixed(2)}
            </span>
          )}
        </Text>
      )}
      <Evidence facts={evidence} onOpen={onOpen} />
    </div>
  );
}

function Evidence({ facts, onOpen }: Pick<PartProps, "onOpen"> & { readonly facts: readonly CitedFact[] }) {
  if (facts.length === 0) return null;
  return (
    <FirstOf
      items={facts}
      first={SENTENCES_SHOWN}
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
              {cited.fact.exact === false && (
                <Text tone="ochre" font="sans" size="s">
                  {" "}
                  not word for word
                </Text>
              )}
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
