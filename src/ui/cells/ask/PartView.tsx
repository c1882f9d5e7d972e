/** @file What is answered to one question: a short answer as far as it is supported, and the recalled sentences. */

import type { Answer, PartAnswer } from "../../../records/answer.ts";
import { headline, INSTEAD, MARK, probabilityText } from "../../../records/headline.ts";
import type { FactRow } from "../../../records/notebook.ts";
import { Citation } from "./Citation.tsx";
import { evidenceOf, type CitedFact } from "./cited.ts";
import { Evidence } from "./Evidence.tsx";
import { Text } from "../../controls/layout.tsx";
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
  /** Whether the part is shown under its own question. */
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
        <p className={s.answer}>
          {part.text}
          {evidence
            .filter(({ key }) => part.cited.includes(key))
            .map((fact) => (
              <Citation key={fact.key} cited={fact} onOpen={() => onOpen(fact)} />
            ))}
          <Borne part={part} level={answer.settings.answerLevel} />
        </p>
      )}
      <Evidence facts={evidence} onOpen={onOpen} />
    </div>
  );
}

/** What the short answer rests on, in the same line: a doubt in words, and the model's probability beside its level. */
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
