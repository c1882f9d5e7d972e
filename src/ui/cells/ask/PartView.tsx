/** @file What is answered to one question: a short answer as far as it is supported, and the recalled sentences. */

import { useState } from "react";
import {
  INSTEAD,
  MARK,
  headline,
  probabilityText,
  type Answer,
  type PartAnswer,
  type Reconstruction,
} from "../../../records/answer.ts";
import type { FactRow } from "../../../records/notebook.ts";
import { evidenceOf, type CitedFact } from "./history.ts";
import { Stack, Text } from "../../controls/layout.tsx";
import { SENTENCES_SHOWN } from "../../../records/judge.ts";
import { Button } from "../../controls/Button.tsx";
import { Said } from "../../facts/Recalled.tsx";
import { counted } from "../../format.ts";
import { usePrinting } from "../../controls/printing.ts";
import { Tooltip } from "../../controls/Tooltip.tsx";
import { cx } from "../../cx.ts";
import { layerColor } from "../../layerColor.ts";
import s from "./ExchangeView.module.css";

export function PartView({
  part,
  answer,
  rows,
  named,
  onOpen,
}: {
  readonly part: PartAnswer;
  readonly answer: Answer;
  readonly rows: ReadonlyMap<string, FactRow> | null;
  readonly named: boolean;
  readonly onOpen: (fact: CitedFact) => void;
}) {
  const evidence = evidenceOf(answer, part, rows);
  return (
    <div className={s.part}>
      {named && (
        <Text as="p" tone="soft" size="s">
          {part.question}
        </Text>
      )}
      {INSTEAD[part.verdict] !== null ? (
        <p className={s.nothing}>{headline(part)}</p>
      ) : (
        <Text as="p" font="serif" size="xl" style={{ paddingBlock: "0.2rem 0.35rem", lineHeight: 1.4 }}>
          {part.text}
          {evidence
            .filter(({ key }) => part.cited.includes(key))
            .map((fact) => (
              <Citation key={fact.key} cited={fact} onOpen={() => onOpen(fact)} />
            ))}
          <Borne part={part} level={answer.settings.answerLevel} />
        </Text>
      )}
      <Evidence facts={evidence} onOpen={onOpen} />
    </div>
  );
}

function Borne({
  part: { verdict, probability },
  level,
}: {
  readonly part: PartAnswer;
  readonly level: number;
}) {
  return (
    <>
      {MARK[verdict] && <span className={s.doubt}>{MARK[verdict]}</span>}
      {probability !== null && level > 0 && (
        <span className={s.probability}>
          probability {probabilityText(probability)}, shown from {level.toFixed(2)}
        </span>
      )}
    </>
  );
}

function Evidence({
  facts,
  onOpen,
}: {
  readonly facts: readonly CitedFact[];
  readonly onOpen: (fact: CitedFact) => void;
}) {
  const printing = usePrinting();
  const [all, setAll] = useState(printing);
  if (facts.length === 0) return null;
  const shown = all ? facts : facts.slice(0, SENTENCES_SHOWN);
  return (
    <>
      <Stack
        as="ol"
        gap="0.3rem"
        measure
        className={s.evidence}
        aria-label="Recalled sentences, nearest to the question first"
      >
        {shown.map((fact) => (
          <Text as="li" key={fact.fact.id} font="serif" style={{ lineHeight: 1.45 }}>
            {fact.fact.text === "" ? <Said id={fact.fact.id} /> : fact.fact.text}
            <Citation cited={fact} onOpen={() => onOpen(fact)} />
            <Doubt fact={fact.fact} />
          </Text>
        ))}
      </Stack>
      {facts.length > shown.length && (
        <Button look="quiet" size="s" onClick={() => setAll(true)}>
          Show {counted(facts.length - shown.length, "more recalled sentence")}
        </Button>
      )}
    </>
  );
}

function Doubt({ fact: { exact } }: { readonly fact: Reconstruction }) {
  return exact === false ? (
    <Text tone="ochre" font="sans" size="s">
      {" "}
      not word for word
    </Text>
  ) : null;
}

function Citation({
  cited: { key, fact, gone },
  onOpen,
}: {
  readonly cited: CitedFact;
  readonly onOpen: () => void;
}) {
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
