/** @file Eq. 1 with its numbers, as it would stand in the paper; the arm that binds is marked. */

import type { ReactNode } from "react";
import { cx, Row, Stack, Text } from "../../controls/layout.tsx";
import { bytes, count, counted, roughly } from "../../format.ts";
import { roomFor, type Budget } from "../../../records/plan.ts";
import type { MemorizeEstimate } from "../../../service/types.ts";
import s from "./Budget.module.css";

export function BudgetView({ budget }: { readonly budget: BudgetNumbers }) {
  const { anchors, depth, layers, capacity, stored = 0, vectorsPerFact, bound } = budget;
  const { facts } = armsOf(budget);
  const information = (
    <>
      m̂ n<sub>anc</sub>
    </>
  );
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
        className={s.equation}
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
      <Text as="p" measure tone="soft">
        {boundSentence(budget)}
      </Text>
    </Stack>
  );
}

const arm = (bound: boolean, symbols: ReactNode, numbers: string): ReactNode => (
  <span className={cx(s.arm, bound && s.bound)}>
    <i>{symbols}</i>
    <Text tone="soft" size="s" className={cx("num", s.numbers)}>
      {numbers}
    </Text>
  </span>
);

type BudgetNumbers = Pick<
  Budget,
  | "anchors"
  | "depth"
  | "layers"
  | "capacity"
  | "bound"
  | "perAnchor"
  | "stored"
  | "vectorsPerFact"
  | "spareRoom"
>;

/** The two arms of the minimum, and B; `room` is what is left of K C, in facts. */
export function armsOf(budget: BudgetNumbers): {
  readonly information: number;
  readonly room: number;
  readonly facts: number;
} {
  const information = budget.depth * budget.anchors;
  const room = roomFor(budget);
  return { information, room, facts: Math.min(information, room) };
}

export function boundSentence(budget: BudgetNumbers): string {
  const { room } = armsOf(budget);
  const { anchors, bound, layers, depth, perAnchor, spareRoom = false } = budget;
  if (anchors === 0) return "No anchor was found, so there is nothing to store.";
  if (bound === "information")
    return `The information arm binds: there is room for more, and each anchor keeps at most its ${counted(depth, "latest fact", "latest facts")}.`;
  if (room < anchors)
    return `The capacity arm binds: there are more anchors than places, so the leading ${counted(room, "anchor keeps its latest fact", "anchors keep their latest fact each")}.`;
  if (spareRoom && perAnchor >= depth)
    return `There is no room for ${counted(depth, "fact")} of every anchor, but most have fewer: each keeps at most its ${counted(depth, "latest fact", "latest facts")}.`;
  return `The capacity arm binds: ${counted(layers, "layer fills", "layers fill")} up, and each anchor keeps its ${counted(perAnchor, "latest fact", "latest facts")}.`;
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

export const costSentence = ({
  seconds,
  bytes: size,
}: Pick<MemorizeEstimate, "seconds" | "bytes">): string =>
  seconds === null
    ? `About ${bytes(size)} of storage. The time is known once the run has started.`
    : `About ${roughly(seconds * 1000)} and about ${bytes(size)} of storage.`;

/** The sentences that a run leaves out, and why; "" without any. */
export const skippedSentence = ({ skipped }: Pick<MemorizeEstimate, "skipped">): string =>
  skipped === 0
    ? ""
    : `${counted(skipped, "sentence")} will be left out: too long for the model’s window, or with characters that its tokenizer changes.`;
