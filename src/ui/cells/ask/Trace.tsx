/** @file Why an answer is what it is: the stages, the routing, and every fact that was recalled. */

import { useEffect, useRef } from "react";
import type { Answer, RankedSentence, Reconstruction, Route, RoutedAnchor } from "../../../records/answer.ts";
import type { FactId } from "../../../records/ids.ts";
import type { FactRow } from "../../../records/notebook.ts";
import type { QuestionParams } from "../../../records/params.ts";
import { Grid, Row, Stack, Text, usePrinting, cx, Note } from "../../controls/basics.tsx";
import { gateState } from "../../facts/words.ts";
import { LayerChip, SaidSince, Gate, RecallDetails } from "../../facts/Recalled.tsx";
import { counted, duration, percent } from "../../format.ts";
import { type Column, Table } from "../../table/Table.tsx";
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
import s from "./Trace.module.css";

interface TraceProps {
  readonly answer: Answer;
  readonly rows: ReadonlyMap<string, FactRow>;
  readonly lit: FactId | null;
  readonly onInspect: ((id: FactId) => void) | undefined;
}

export function Trace({ answer, ...look }: TraceProps) {
  const { route, recalled, asked, cited, milliseconds, settings } = answer;
  const read = settings.read === "top1" ? "top-1 read" : "soft read";
  const weights = `${counted(weighed(route), "anchor")} weighed in ${duration(milliseconds.route)}`;
  const recalls = `${counted(recalled.length, "fact")} in ${duration(milliseconds.recall)}, θ = ${settings.theta}, ${read}`;
  return (
    <Stack gap={4}>
      <StageList stages={stages(answer, look.rows)} />
      <WhyThese {...{ route, recalled, asked }} />
      {route.anchors.length > 0 && (
        <div role="group" aria-label="Routing">
          <Heading aside={weights}>Routing</Heading>
          <RoutingTable route={route} />
        </div>
      )}
      {recalled.length > 0 && (
        <>
          <div role="group" aria-label="Recalled facts">
            <Heading aside={recalls}>Recalled</Heading>
            <RecalledFacts {...look} {...{ recalled, settings }} cited={new Set(cited)} />
          </div>
          <Note>The answer took {duration(milliseconds.answer)}.</Note>
        </>
      )}
    </Stack>
  );
}

const Heading = ({ children, aside }: Readonly<Record<"children" | "aside", string>>) => (
  <Row as="h3" wrap align="baseline" gap="0 0.8rem" font="serif" size="l" weight="bold" below="0.35rem">
    {children}{" "}
    <Text tone="soft" font="sans" size="s" weight="regular">
      {aside}
    </Text>
  </Row>
);

const MARKS: Readonly<Record<StageOutcome["state"], readonly [mark: string, words: string]>> = {
  ok: ["✓", "passed"],
  warn: ["~", "passed with a remark"],
  failed: ["✕", "ended here"],
  skipped: ["–", "not reached"],
};

const StageList = ({ stages }: { readonly stages: readonly StageOutcome[] }) => (
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
          {MARKS[state][0]}
        </span>
        <span className={s.name}>
          {name}
          <span className="visually-hidden"> {MARKS[state][1]}</span>
        </span>
        <Text tone="soft" className={s.text}>
          {text}
        </Text>
      </Grid>
    ))}
  </Stack>
);

const FACTS_EXPLAINED = 5;
const FEATURES_SHOWN = 3;

export function WhyThese({
  route: { facts, ranked },
  recalled,
  asked,
}: Pick<Answer, "route" | "recalled" | "asked">) {
  const keys = new Map(recalled.map(({ id, key }) => [id, key]));
  // Evidence has only the facts that were read; others come last.
  const shown = asked.length === 1 ? [...asked[0]!.evidence, ...facts] : facts;
  const shares = new Map(
    asked.flatMap(({ evidence, shares: own = [] }) => own.map((share, i) => [evidence[i]!, share] as const)),
  );
  const rows = (ranked ?? [])
    .flatMap(({ score, parts }, i) => {
      const id = facts[i]!;
      const key = keys.get(id);
      return key !== undefined && parts.length > 0
        ? [
            {
              key,
              score,
              parts: parts.slice(0, FEATURES_SHOWN),
              share: shares.get(id),
              at: shown.indexOf(id),
            },
          ]
        : [];
    })
    .sort((a, b) => a.at - b.at)
    .slice(0, FACTS_EXPLAINED);
  if (rows.length === 0) return null;
  const most = Math.max(...rows.flatMap(({ parts }) => parts.map(([, added]) => Math.abs(added))));
  return (
    <div role="group" aria-label="Why these sentences">
      <Heading aside="what each feature added to the score, the largest first">Why these sentences</Heading>
      <Table
        caption="Scores of the first facts, with the features that added most"
        columns={[
          { id: "key", label: "Fact", names: true, cell: ({ key }) => key },
          { id: "score", label: "Score", look: "number", cell: ({ score }) => score.toFixed(2) },
          ...(shares.size > 0 ? [READ_COLUMN] : []),
          { id: "added", label: "Added by", cell: ({ parts }) => <Added parts={parts} most={most} /> },
        ]}
        rows={rows}
      />
    </div>
  );
}

const READ_COLUMN = {
  id: "share",
  label: "Reader",
  look: "number",
  about:
    "The probability that the answer is in this sentence. The first fifteen are in its order; the score is added to its own.",
  cell: ({ share }: { readonly share: number | undefined }) => (share === undefined ? "" : percent(share)),
} as const;

const Added = ({ parts, most }: Pick<RankedSentence, "parts"> & { readonly most: number }) =>
  parts.map(([feature, added]) => (
    <Grid
      key={feature}
      columns="clamp(2.5rem, 12vw, 6rem) 2.8rem minmax(0, 1fr)"
      gap="0.5rem"
      align="baseline"
    >
      <span className={s.weight} aria-hidden="true">
        <span className={s.bar} style={{ width: `${(100 * Math.abs(added)) / most}%` }} />
      </span>
      <Text numeric tone={added < 0 ? "rubric" : "ink"}>
        {added < 0 ? "−" : "+"}
        {Math.abs(added).toFixed(2)}
      </Text>
      <Text tone="soft">{feature}</Text>
    </Grid>
  ));

export function RoutingTable({ route: { anchors, more = 0, ranked } }: { readonly route: Route }) {
  const kept = anchors.filter((anchor) => anchor.kept).length;
  const dense = anchors.some(({ denseRank }) => denseRank !== null);
  const columns = COLUMNS.filter(({ id }) => id !== "dense" || dense);
  return (
    <>
      <Table
        caption="Anchors weighed for the question"
        columns={ranked ? RANKED_COLUMNS : columns}
        rows={keptFirst(anchors)}
        keyOf={({ anchor }) => anchor}
        toneOf={(anchor) => (anchor.kept ? undefined : "cut")}
        limit={{
          first: kept + CUT_SHOWN,
          more: (_, rest) => `Show ${counted(rest, "more anchor")} that ${rest === 1 ? "was" : "were"} cut`,
        }}
        className={s.table}
      />
      {more > 0 && <Note>and {counted(more, "more anchor")} with lower scores, cut and not listed.</Note>}
    </>
  );
}

const LEXICAL: Column<RoutedAnchor> = {
  id: "lexical",
  label: "Lexical",
  short: "lexical",
  look: "number",
  about: "Rank and IDF-weighted score of the words in common",
  cell: ({ lexicalRank, lexicalScore }) => <Ranked rank={lexicalRank} score={lexicalScore} />,
};
const BEST_FACT = {
  ...{ ...LEXICAL, id: "fact", label: "Best fact", short: "best fact" },
  about: "Rank and score of the anchor's best fact",
};

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
  LEXICAL,
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

const RANKED_COLUMNS = [COLUMNS[0]!, BEST_FACT, COLUMNS.at(-1)!];

function Ranked({ rank, score }: { readonly rank: number | null; readonly score: number | null }) {
  if (rank === null) return <span aria-label="not ranked">–</span>;
  return (
    <>
      {rank}
      {score !== null && <Text tone="soft"> · {score.toFixed(2)}</Text>}
    </>
  );
}

interface RecalledFactsProps extends Omit<TraceProps, "answer"> {
  readonly recalled: readonly Reconstruction[];
  readonly cited: ReadonlySet<string>;
  readonly settings: QuestionParams;
}

export const RecalledFacts = (props: RecalledFactsProps) => (
  <Text as="ol" plainList aria-label="Recalled facts, in source order">
    {props.recalled.map((fact) => (
      <RecalledFact key={fact.id} fact={fact} {...props} />
    ))}
  </Text>
);

const EQUALITY: Readonly<Record<Equality, string>> = {
  equal: "as stored",
  differs: "differs from the stored sentence",
  unknown: "deleted since",
};

function RecalledFact(props: RecalledFactsProps & { readonly fact: Reconstruction }) {
  const { fact, cited, rows, settings, lit, onInspect } = props;
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
          <button type="button" className={s.key} onClick={() => onInspect?.(fact.id)}>
            {fact.key}
          </button>
        ) : (
          <span className={cx(s.key, !row && s.gone)}>{fact.key}</span>
        )}
        <LayerChip layer={fact.layer} />
        <Gate similarity={fact.read.similarity} theta={settings.theta} state={gate} />
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
              row && <SaidSince fact={fact} gone={false} />
            ) : (
              <Text font="serif" anywhere>
                {fact.text}
              </Text>
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
      <RecallDetails fact={fact} rows={rows} />
    </li>
  );
}
