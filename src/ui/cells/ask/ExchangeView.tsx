/** @file A question, what is answered to each of its parts with the sentences that were recalled, and, folded, why. */

import { useState } from "react";
import type { FactId } from "../../../records/ids.ts";
import type { FactRow } from "../../../records/notebook.ts";
import { IconButton } from "../../controls/Button.tsx";
import { Disclosure } from "../../controls/Disclosure.tsx";
import { dateTime } from "../../format.ts";
import { ranOn } from "../../facts/words.ts";
import { citedFacts, sinceDeleted, type CitedFact, type Exchange } from "./history.ts";
import { PartView } from "./PartView.tsx";
import { settingsLine } from "../../parameters/readSettings.ts";
import { failureStage, traceLine } from "./stages.ts";
import { Trace } from "./Trace.tsx";
import { Row, Text } from "../../controls/layout.tsx";
import s from "./ExchangeView.module.css";

export interface ExchangeProps {
  readonly exchange: Exchange;
  readonly rows: ReadonlyMap<string, FactRow> | null;
  readonly onInspect?: (id: FactId) => void;
  readonly onAskAgain?: (question: string) => void;
  readonly onRemove?: (at: string) => void;
  readonly canWrite: boolean;
}

const nothing = (): void => undefined;

export function ExchangeView({
  exchange,
  rows,
  onInspect = nothing,
  onAskAgain = nothing,
  onRemove = nothing,
  canWrite,
}: ExchangeProps) {
  const { answer, stamp } = exchange;
  const [open, setOpen] = useState(false);
  const [lit, setLit] = useState<FactId | null>(null);
  const parts = answer.asked;
  const failure = rows && !parts.some(({ best }) => best) ? failureStage(answer, rows) : null;
  const deleted = sinceDeleted(citedFacts(answer, rows), rows);
  const openFact = ({ fact, gone }: CitedFact): void => {
    setLit(fact.id);
    if (gone) setOpen(true);
    else onInspect(fact.id);
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
              onClick={() => onAskAgain(answer.question)}
            />
            <IconButton
              icon="close"
              size="s"
              label="Remove this question and its answer"
              onClick={() => onRemove(stamp.at)}
            />
          </Row>
        )}
      </Row>
      {parts.map((part, i) => (
        <PartView key={i} {...{ part, answer, rows }} onOpen={openFact} named={parts.length > 1} />
      ))}
      {failure && (
        <Text as="p" measure style={{ paddingTop: "0.2rem" }}>
          <Text tone="rubric">Ended at {failure.name}.</Text> {failure.brief ?? failure.text}
        </Text>
      )}
      {deleted && (
        <Text as="p" measure tone="ochre" style={{ paddingTop: "0.2rem" }}>
          {deleted}
        </Text>
      )}
      <Disclosure
        open={open}
        onOpenChange={setOpen}
        summary={traceLine(answer)}
        aside={<When stamp={stamp} />}
      >
        {rows ? (
          <Trace answer={answer} rows={rows} lit={lit} onInspect={onInspect} />
        ) : (
          <Text as="p" tone="soft" size="s" above={3}>
            The facts of the memory are not read yet.
          </Text>
        )}
        <Text as="p" tone="soft" size="s" above={3}>
          Asked with {settingsLine(answer.settings)}.
        </Text>
      </Disclosure>
    </article>
  );
}

function When({ stamp }: Pick<Exchange, "stamp">) {
  const where = ranOn(stamp);
  return (
    <Text whiteSpace="nowrap" className={s.stamp}>
      <time dateTime={stamp.at}>{dateTime(stamp.at)}</time>
      {where && `, ${where}`}
    </Text>
  );
}
