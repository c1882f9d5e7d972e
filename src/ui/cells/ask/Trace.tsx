/** @file Why an answer is what it is: the stages, the routing, and every fact that was recalled. */

import { useEffect, useMemo, useRef, type ReactNode } from "react";
import type { Answer, Reconstruction, Route, RoutedAnchor } from "../../../records/answer.ts";
import type { FactId } from "../../../records/ids.ts";
import type { FactRow } from "../../../records/notebook.ts";
import { counted, duration } from "../../format.ts";
import {
  CUT_SHOWN,
  equality,
  fusedScore,
  keptFirst,
  stages,
  weighed,
  type Equality,
  type StageOutcome,
} from "./stages.ts";
import { Grid, Row, Stack, Text } from "../../controls/layout.tsx";
import { cx } from "../../cx.ts";
import type { Column } from "../../table/column.ts";
import { Table } from "../../table/Table.tsx";
import type { QuestionParams } from "../../../records/params.ts";
import { LayerChip, Recalled, Said } from "../../facts/Recalled.tsx";
import { usePrinting } from "../../controls/printing.ts";
import { Competitors } from "../../facts/Competitors.tsx";
import { GateScale } from "../../facts/GateScale.tsx";
import { RecalledParts } from "../../facts/RecalledParts.tsx";
import { GATE_WORDS, cosine, gateState } from "../../facts/gateText.ts";
import s from "./Trace.module.css";

export function Trace({
  answer,
  rows,
  lit,
  onInspect,
}: {
  readonly answer: Answer;
  readonly rows: ReadonlyMap<string, FactRow>;
  readonly lit: FactId | null;
  readonly onInspect: (id: FactId) => void;
}) {
  const { route, recalled, cited, milliseconds, settings } = answer;
  const keys = useMemo(() => new Set(cited), [cited]);
  return (
    <Stack gap={4}>
      <StageList stages={stages(answer, rows)} />
      {route.anchors.length > 0 && (
        <div role="group" aria-label="Routing">
          <Heading>
            Routing{" "}
            <Aside>{`${counted(weighed(route), "anchor")} weighed in ${duration(milliseconds.route)}`}</Aside>
          </Heading>
          <RoutingTable route={route} />
        </div>
      )}
      {recalled.length > 0 && (
        <div role="group" aria-label="Recalled facts">
          <Heading>
            Recalled{" "}
            <Aside>
              {`${counted(recalled.length, "fact")} in ${duration(milliseconds.recall)}, θ = ${settings.theta}, ${
                settings.read === "top1" ? "top-1 read" : "soft read"
              }`}
            </Aside>
          </Heading>
          <RecalledFacts
            recalled={recalled}
            cited={keys}
            rows={rows}
            settings={settings}
            lit={lit}
            onInspect={onInspect}
          />
        </div>
      )}
      {recalled.length > 0 && (
        <Text as="p" tone="soft" size="s">
          The answer took {duration(milliseconds.answer)}.
        </Text>
      )}
    </Stack>
  );
}

function Aside({ children }: { readonly children: string }) {
  return (
    <Text tone="soft" font="sans" size="s" weight="regular">
      {children}
    </Text>
  );
}

const MARKS: Readonly<Record<StageOutcome["state"], string>> = {
  ok: "✓",
  warn: "~",
  failed: "✕",
  skipped: "–",
};
const SAID: Readonly<Record<StageOutcome["state"], string>> = {
  ok: "passed",
  warn: "passed with a remark",
  failed: "ended here",
  skipped: "not reached",
};

function StageList({ stages }: { readonly stages: readonly StageOutcome[] }) {
  return (
    <Stack as="ol" plainList aria-label="Stages of the question">
      {stages.map(({ name, state, text }) => (
        <Grid
          as="li"
          key={name}
          gap="0.5rem"
          columns="1rem 7.5rem minmax(0, 1fr)"
          className={cx(s.stage, s[state])}
        >
          <span className={s.mark} aria-hidden="true">
            {MARKS[state]}
          </span>
          <span className={s.name}>
            {name}
            <span className="visually-hidden"> {SAID[state]}</span>
          </span>
          <Text tone="soft" className={s.text}>
            {text}
          </Text>
        </Grid>
      ))}
    </Stack>
  );
}

export function RoutingTable({ route: { anchors, more = 0 } }: { readonly route: Route }) {
  const kept = anchors.filter((anchor) => anchor.kept).length;
  return (
    <>
      <Table
        caption="Anchors weighed for the question"
        columns={COLUMNS}
        rows={keptFirst(anchors)}
        keyOf={({ anchor }) => anchor}
        toneOf={(anchor) => (anchor.kept ? undefined : "cut")}
        limit={{
          first: kept + CUT_SHOWN,
          more: (_, rest) => `Show ${counted(rest, "more anchor")} that ${rest === 1 ? "was" : "were"} cut`,
        }}
        className={s.table}
      />
      {more > 0 && (
        <Text as="p" tone="soft" size="s">
          and {counted(more, "more anchor")} with lower scores, cut and not listed.
        </Text>
      )}
    </>
  );
}

const COLUMNS: readonly Column<RoutedAnchor>[] = [
  { id: "anchor", label: "Anchor", names: true, cell: ({ anchor }) => anchor },
  {
    id: "dense",
    label: "Dense",
    short: "dense",
    look: "number",
    about: "Rank and cosine of the anchor's document",
    cell: ({ denseRank, denseScore }) => <Ranked rank={denseRank} score={denseScore} />,
  },
  {
    id: "lexical",
    label: "Lexical",
    short: "lexical",
    look: "number",
    about: "Rank and IDF-weighted score of the words in common",
    cell: ({ lexicalRank, lexicalScore }) => <Ranked rank={lexicalRank} score={lexicalScore} />,
  },
  {
    id: "fused",
    label: "Fused ×10³",
    short: "fused ×10³",
    look: "number",
    about: "Reciprocal rank fusion: the sum of 1 / (60 + rank), times 1000",
    cell: ({ fused }) => fusedScore(fused),
  },
  { id: "verdict", label: "Verdict", cell: ({ kept, why }) => (kept ? `kept: ${why}` : why) },
];

/** "1 · 0.82"; a dash where this side did not rank the anchor. */
function Ranked({ rank, score }: { readonly rank: number | null; readonly score: number | null }) {
  if (rank === null) return <span aria-label="not ranked">–</span>;
  return (
    <>
      {rank}
      {score !== null && <Text tone="soft"> · {score.toFixed(2)}</Text>}
    </>
  );
}

interface RecalledFactsProps {
  readonly recalled: readonly Reconstruction[];
  readonly cited: ReadonlySet<string>;
  readonly rows: ReadonlyMap<string, FactRow>;
  readonly settings: QuestionParams;
  readonly lit: FactId | null;
  readonly onInspect: (id: FactId) => void;
}

export function RecalledFacts(props: RecalledFactsProps) {
  return (
    <Text as="ol" plainList aria-label="Recalled facts, in source order">
      {props.recalled.map((fact) => (
        <RecalledFact key={fact.id} fact={fact} {...props} />
      ))}
    </Text>
  );
}

const EQUALITY: Readonly<Record<Equality, string>> = {
  equal: "as stored",
  differs: "differs from the stored sentence",
  unknown: "deleted since",
};

function RecalledFact({
  fact,
  cited,
  rows,
  settings,
  lit,
  onInspect,
}: RecalledFactsProps & { readonly fact: Reconstruction }) {
  const printing = usePrinting();
  const row = rows.get(fact.id);
  const equal = equality(fact, row);
  const gate = gateState(fact);
  const item = useRef<HTMLLIElement>(null);
  const isLit = lit === fact.id;
  useEffect(() => {
    if (isLit) item.current?.scrollIntoView({ block: "nearest" });
  }, [isLit]);
  return (
    <li ref={item} className={cx(s.fact, gate !== "open" && s.shut, isLit && s.lit)}>
      <Row wrap align="center" gap="0.2rem 0.9rem" size="s">
        {row && !printing ? (
          <button type="button" className={s.key} onClick={() => onInspect(fact.id)}>
            {fact.key}
          </button>
        ) : (
          <span className={cx(s.key, !row && s.gone)}>{fact.key}</span>
        )}
        <LayerChip layer={fact.layer} />
        <Row as="span" align="center" gap="0.45rem" inline>
          <GateScale similarity={fact.read.similarity} theta={settings.theta} open={gate === "open"} />
          <span className="num">{cosine(fact.read.similarity)}</span>
          <Text tone="soft" className={cx(gate === "open" && s.open)}>
            {GATE_WORDS[gate]}
          </Text>
        </Row>
        {cited.has(fact.key) && (
          <Text tone="soft" italic>
            cited
          </Text>
        )}
      </Row>
      <Text as="p" above="0.15rem" size="l">
        {gate === "open" ? (
          <>
            {fact.text === "" ? (
              <Said id={fact.id} />
            ) : (
              <Recalled stored={row?.value ?? fact.text} said={fact.text} exact={equal !== "differs"} />
            )}{" "}
            <Text size="s" whiteSpace="nowrap" className={s[equal]} style={{ marginLeft: "0.3rem" }}>
              {EQUALITY[equal]}
            </Text>
          </>
        ) : (
          <Text tone="soft" size="s">
            {settings.answers === "ours"
              ? "Nothing was injected, and this text was not used"
              : "Nothing was injected; the model still received this text"}
            : “{fact.text}”
          </Text>
        )}
      </Text>
      <RecalledParts fact={fact} />
      <Competitors read={fact.read} own={fact.id} rows={rows} beta={settings.beta} />
    </li>
  );
}

function Heading({ children }: { readonly children: ReactNode }) {
  return (
    <Row as="h3" wrap align="baseline" gap="0 0.8rem" font="serif" size="l" weight="bold" below="0.35rem">
      {children}
    </Row>
  );
}
