/** @file What memorising did: a sentence, the numbers behind it, the layers, the time, and what was left out. */

import { groupBy } from "../../../lib/group.ts";
import { useId, type ReactNode } from "react";
import type { LayerIndex } from "../../../records/ids.ts";
import type { FactRow, MemorizeSummary } from "../../../records/notebook.ts";
import { EVERY_SENTENCE } from "../../../records/params.ts";
import { type Budget, roomFor } from "../../../records/plan.ts";
import { MEMORIZE_STAGES, type MemorizeStage } from "../../../records/progress.ts";
import { Disclosure } from "../../controls/Dialog.tsx";
import { Row, Stack, Text, Pairs, type Pair, Note, cx, Soft } from "../../controls/basics.tsx";
import { meanFidelityText } from "../../facts/words.ts";
import { bytes, count, counted, duration, percent, roughly } from "../../format.ts";
import { layerColor } from "../../charts/kit/scale.ts";
import { type Column, Table } from "../../table/Table.tsx";
import { stageName } from "../frame/RunLive.tsx";
import type { MemorizeEstimate } from "../../../service/types.ts";
import s from "./Summary.module.css";
import eq from "./Budget.module.css";

interface SummaryProps {
  readonly summary: MemorizeSummary;
  readonly facts: readonly FactRow[] | null;
}

export function Summary({ summary, facts }: SummaryProps) {
  const { budget, known } = summary;
  const left = leftOut(summary);
  return (
    <Stack gap={3}>
      <Text as="p" measure font="serif" size="l" style={{ lineHeight: 1.5 }}>
        {headline(summary, facts?.length)}
      </Text>
      <KeyNumbers summary={summary} />
      {left !== null && <Note>{left}</Note>}
      {known.length > 0 && (
        <Note>{`Already in the memory: ${listed(known.map((title) => `“${title}”`))}.`}</Note>
      )}
      <Disclosure
        summary="Details of the run"
        aside={<span className="num">{duration(totalOf(summary))}</span>}
      >
        <Stack gap={3}>
          <Group name="This run" of={runNumbers(summary)} />
          <Group name="The whole memory after it" of={memoryNumbers(summary)} />
          <Layers layers={summary.layers} facts={facts} />
          <Disclosure summary="Budget" aside={<span className="num">{counted(budget.facts, "fact")}</span>}>
            <BudgetView budget={budget} />
          </Disclosure>
          <Disclosure summary="Time">
            <Times milliseconds={summary.milliseconds} />
            {summary.expected !== undefined && (
              <Note>{`The forecast before the run was ${duration(summary.expected * 1000)}.`}</Note>
            )}
          </Disclosure>
        </Stack>
      </Disclosure>
      <LeftOut skipped={summary.skipped} />
    </Stack>
  );
}

export function KeyNumbers({ summary: { encoded, exact, kept, total } }: Pick<SummaryProps, "summary">) {
  if (encoded === 0) return null;
  const numbers: readonly Pair[] = [
    ["Sentences stored", count(encoded)],
    ["Recalled word for word", `${percent(exact / encoded)}`],
    [
      `Size${total > encoded ? " with older facts" : ""}, for ${bytes(kept.text)} of text`,
      bytes(kept.vectors),
    ],
  ];
  return <Pairs className={cx(s.group, s.key)} of={numbers} />;
}

function runNumbers(summary: MemorizeSummary): readonly Pair[] {
  const { encoded, exact, steps, givenUp = 0, cached, extracted, retained, evicted } = summary;
  const quality: readonly Pair[] = [
    ["Exact", `${percent(exact / encoded)}, ${count(exact)} of ${count(encoded)}`],
    ["Mean fidelity", meanFidelityText(summary.fidelity, exact, encoded)],
    ["Optimiser steps", `${count(steps)}, ${(steps / encoded).toFixed(1)} per fact`],
    ["Steps without result", givenUp > 0 && count(givenUp)],
  ];
  const pairs: readonly Pair[] = [
    ["Stored", encodedText(summary)],
    ...(encoded > 0 ? quality : []),
    ["From the encoding cache", cached !== undefined && counted(cached, "fact")],
    ["Facts found", extracted > 0 && `${count(extracted)}, ${count(retained)} of them kept`],
    ["Deleted to make room", evicted !== undefined && counted(evicted, "stored fact")],
  ];
  return pairs.filter(([, value]) => Boolean(value));
}

function memoryNumbers({ encoded, total, kept }: MemorizeSummary): readonly Pair[] {
  const before = encoded > 0 && total > encoded ? `, ${count(total - encoded)} of them from before` : "";
  return [
    ["Facts", `${counted(total, "fact")}${before}`],
    ["Source text", bytes(kept.text)],
    ["Stored vectors", bytes(kept.vectors)],
    ["Routing index", `${bytes(kept.index)}, no sentence`],
    ["Bytes per fact", bytes(Math.round(kept.perFact))],
  ];
}

function Group({ name, of }: { readonly name: string; readonly of: readonly Pair[] }) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <Note id={id} weight="bold" below={1}>
        {name}
      </Note>
      <Pairs className={s.group} of={of} />
    </section>
  );
}

const LeftOut = ({ skipped }: Pick<MemorizeSummary, "skipped">) =>
  skipped.length === 0 ? null : (
    <Disclosure summary="Left out" aside={<span className="num">{counted(skipped.length, "sentence")}</span>}>
      <Stack as="ul" gap={3} style={{ paddingLeft: "1.1rem" }}>
        {skipped.slice(0, MOST_SKIPPED).map(({ value, why }, i) => (
          <li key={i}>
            <span className="remembered">{value}</span>
            <Text tone="soft" size="s" className={s.why}>
              {why}
            </Text>
          </li>
        ))}
      </Stack>
      {skipped.length > MOST_SKIPPED && <p>and {count(skipped.length - MOST_SKIPPED)} more.</p>}
    </Disclosure>
  );

function Layers({ layers, facts }: Pick<SummaryProps, "facts"> & { readonly layers: readonly LayerIndex[] }) {
  const counts = facts && facts.length > 0 ? countByLayer(facts) : null;
  return (
    <div>
      {counts && (
        <Row gap="2px" className={s.bar} aria-hidden="true">
          {layers.map((layer) => (
            <span key={layer} style={{ flexGrow: counts.get(layer) ?? 0, background: layerColor(layer) }} />
          ))}
        </Row>
      )}
      <Row
        as="ul"
        wrap
        gap="0.2rem var(--space-4)"
        size="s"
        plainList
        className={s.layers}
        aria-label="Storage layers"
      >
        {layers.map((layer) => (
          <li key={layer} style={{ "--layer": layerColor(layer) } as object}>
            layer {layer}
            {counts && <span className="num"> {counted(counts.get(layer) ?? 0, "fact")}</span>}
          </li>
        ))}
      </Row>
    </div>
  );
}

function Times({ milliseconds }: Pick<MemorizeSummary, "milliseconds">) {
  const time = (stage: MemorizeStage): number => milliseconds[stage] ?? 0;
  const longest = Math.max(...Object.values(milliseconds), 1);
  const columns: readonly Column<MemorizeStage>[] = [
    { id: "stage", label: "Stage", names: true, cell: (stage) => stageName(stage) },
    { id: "time", label: "Time", look: "number", cell: (stage) => duration(time(stage)) },
    {
      id: "share",
      label: "Share of the longest",
      cell: (stage) => <span className={s.track} style={{ width: `${(time(stage) / longest) * 100}%` }} />,
    },
  ];
  const rows = MEMORIZE_STAGES.filter((stage) => stage in milliseconds);
  return <Table caption="Time per stage" columns={columns} rows={rows} className={s.times} />;
}

const totalOf = ({ milliseconds }: MemorizeSummary): number =>
  Object.values(milliseconds).reduce((sum, time) => sum + time, 0);

const MOST_SKIPPED = 50;

/** @param now facts in the memory now; the summary counts those of the run, which may have been deleted since */
export function headline(summary: MemorizeSummary, now = summary.total): string {
  const { sources, encoded, exact, total } = summary;
  if (encoded === 0) return `No fact was added; the memory has ${counted(now, "fact")}.`;
  const titles = sources.map(({ title }) => `“${title}”`);
  const of = titles.length === 0 ? "" : ` of ${listed(titles)}`;
  const before = total > encoded ? `, in addition to ${counted(total - encoded, "older one")}` : "";
  const one = encoded === 1;
  if (now === total)
    return `${counted(encoded, "fact")}${of} ${one ? "is" : "are"} in memory${before}: ${exactly(exact, encoded)}.`;
  const left = `The memory has changed since: it holds ${counted(now, "fact")} now.`;
  return `${counted(encoded, "fact")}${of} ${one ? "was" : "were"} memorised${before}: ${exactly(exact, encoded)}. ${left}`;
}

function leftOut({ extraction = [], extracted, retained, budget }: MemorizeSummary): string | null {
  const parts = extraction.flatMap((text) => text.parts);
  const sentences = parts.reduce((sum, part) => sum + part.sentences, 0);
  const candidates = parts.reduce((sum, part) => sum + part.candidates, 0);
  return sentences === 0
    ? null
    : unstored({ sentences, candidates, retained: candidates - (extracted - retained) }, budget, "after");
}

/** Which sentences are, or will be, in no fact, and why; null where all are in one. */
export function unstored(
  { sentences, candidates, retained }: Readonly<Record<"sentences" | "candidates" | "retained", number>>,
  { depth, bound, perAnchor }: Pick<Budget, "depth" | "bound" | "perAnchor">,
  when: "before" | "after",
): string | null {
  const [unfit, gaveWay] = [sentences - candidates, candidates - retained];
  const byAnchor = bound === "information" || perAnchor >= depth;
  const eq1 = byAnchor
    ? `an anchor keeps its ${counted(depth, "latest fact")}`
    : "the layers have no room for more";
  const why = [
    unfit > 0 && `${count(unfit)} by the filter (see the parameters)`,
    gaveWay > 0 && `${count(gaveWay)} by Eq. 1: ${eq1}`,
  ].filter(Boolean);
  if (why.length === 0) return null;
  const left = unfit + gaveWay;
  const verb = when === "before" ? "will not be" : left === 1 ? "is not" : "are not";
  return `${count(left)} of ${counted(sentences, "sentence")} ${verb} stored: ${why.join("; ")}.`;
}

/** "20 facts, 12 of them left over from an interrupted run": the 12 are included in the 20. */
export function encodedText({ encoded, resumed }: MemorizeSummary): string {
  const left = Math.min(resumed, encoded);
  const facts = counted(encoded, "fact");
  if (left === 0) return facts;
  const those = left < encoded ? `${count(left)} of them ` : encoded > 1 ? "all of them " : "";
  return `${facts}, ${those}left over from an interrupted run`;
}

function exactly(exact: number, encoded: number): string {
  if (exact === encoded) return encoded === 1 ? "recalled word for word" : "all recalled word for word";
  if (exact === 0) return encoded === 1 ? "not recalled word for word" : "none recalled word for word";
  return `${count(exact)} recalled word for word, ${count(encoded - exact)} not`;
}

function listed(words: readonly string[]): string {
  if (words.length > 3) return `${words.slice(0, 2).join(", ")} and ${words.length - 2} more`;
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

const countByLayer = (facts: readonly FactRow[]): ReadonlyMap<LayerIndex, number> =>
  new Map([...groupBy(facts, ({ layer }) => layer)].map(([layer, rows]) => [layer, rows.length]));

export function BudgetView({ budget }: { readonly budget: BudgetNumbers }) {
  const { anchors, depth, layers, capacity, stored = 0, vectorsPerFact, bound } = budget;
  const { facts } = armsOf(budget);
  const information = (
    <>
      m̂ n<sub>anc</sub>
    </>
  );
  const sentence = <Soft measure>{boundSentence(budget)}</Soft>;
  if (depth >= EVERY_SENTENCE.depth) return sentence;
  const less = stored > 0 ? ` − ${count(stored)}` : "";
  const each = vectorsPerFact === undefined ? "" : ` at ${perFact(vectorsPerFact)} a fact`;
  return (
    <Stack gap={2}>
      <p className="visually-hidden">{budgetSpoken(budget)}</p>
      <Row
        wrap
        align="baseline"
        gap="0.15rem 0.55rem"
        font="serif"
        size="xl"
        className={eq.equation}
        aria-hidden="true"
      >
        <span>
          <i>B</i> = min(
        </span>
        {arm(bound === "information", information, `${count(depth)} × ${count(anchors)}`)}
        <span>,</span>
        {arm(bound === "capacity", <>K C</>, `${count(layers)} × ${count(capacity)}${less}${each}`)}
        <span>)</span>
        <span>
          = <strong className="num">{count(facts)}</strong>
        </span>
      </Row>
      {sentence}
    </Stack>
  );
}

const arm = (bound: boolean, symbols: ReactNode, numbers: string): ReactNode => (
  <span className={cx(eq.arm, bound && eq.bound)}>
    <i>{symbols}</i>
    <Text tone="soft" size="s" className={cx("num", eq.numbers)}>
      {numbers}
    </Text>
  </span>
);

type BudgetNumbers = Omit<Budget, "facts">;

/** The two arms of the minimum, and B; `room` is what is left of K C, in facts. */
export function armsOf(budget: BudgetNumbers) {
  const information = budget.depth * budget.anchors;
  const room = roomFor(budget);
  return { information, room, facts: Math.min(information, room) };
}

export function boundSentence(budget: BudgetNumbers): string {
  const { room } = armsOf(budget);
  const { anchors, bound, layers, depth, perAnchor, spareRoom = false } = budget;
  if (anchors === 0) return "No anchor was found, so there is nothing to store.";
  if (depth >= EVERY_SENTENCE.depth)
    return `Anchors keep all their facts; there is room for ${counted(room, "fact")}.`;
  if (bound === "information")
    return `Each anchor keeps at most its ${counted(depth, "latest fact", "latest facts")}, although there is room for more.`;
  if (room < anchors)
    return `There are more anchors than places, so the leading ${counted(room, "anchor keeps its latest fact", "anchors keep their latest fact each")}.`;
  if (spareRoom && perAnchor >= depth)
    return `There is no room for ${counted(depth, "fact")} of every anchor, but most have fewer: each keeps at most its ${counted(depth, "latest fact", "latest facts")}.`;
  return `${counted(layers, "layer fills", "layers fill")} up, so each anchor keeps its ${counted(perAnchor, "latest fact", "latest facts")}.`;
}

const perFact = (vectors: number): string => vectors.toFixed(1);

export function budgetSpoken(budget: BudgetNumbers): string {
  const { information, room, facts } = armsOf(budget);
  return (
    `B is the smaller of ${count(information)} (m hat ${budget.depth} times ${counted(budget.anchors, "anchor")}) ` +
    `and ${count(room)} (${counted(budget.layers, "layer")} times capacity ${count(budget.capacity)}` +
    `${budget.stored ? `, less ${count(budget.stored)} stored` : ""}` +
    `${budget.vectorsPerFact ? `, at ${perFact(budget.vectorsPerFact)} vectors per fact` : ""}): ${counted(facts, "fact")}.`
  );
}

export const costSentence = ({ seconds, bytes: size }: Pick<MemorizeEstimate, "seconds" | "bytes">) =>
  seconds === null
    ? `About ${bytes(size)} of storage. The time is known once the run has started.`
    : `About ${roughly(seconds * 1000)} and about ${bytes(size)} of storage.`;

export const skippedSentence = ({ skipped }: Pick<MemorizeEstimate, "skipped">): string =>
  `${counted(skipped, "sentence")} will be left out: too long for the model’s window, or with characters that its tokenizer changes.`;
