/** @file Eq. 1 with its numbers, as it would stand in the paper; the arm that binds is marked. */

import { cx } from "../../cx.ts";
import { count } from "../../format.ts";
import { armsOf, boundSentence, budgetSpoken, perFact, type BudgetNumbers } from "./budgetText.ts";
import { Row, Stack, Text } from "../../controls/layout.tsx";
import s from "./Budget.module.css";

export function BudgetView({ budget }: { readonly budget: BudgetNumbers }) {
  const { anchors, depth, layers, capacity, stored = 0, vectorsPerFact, bound } = budget;
  const { facts } = armsOf(budget);
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
        <Arm
          bound={bound === "information"}
          symbols={
            <>
              m̂ n<sub>anc</sub>
            </>
          }
        >
          {count(depth)} × {count(anchors)}
        </Arm>
        <span>,</span>
        <Arm bound={bound === "capacity"} symbols={<>K C</>}>
          {count(layers)} × {count(capacity)}
          {stored > 0 && ` − ${count(stored)}`}
          {vectorsPerFact !== undefined && ` at ${perFact(vectorsPerFact)} a fact`}
        </Arm>
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

/** One argument of the minimum: the symbols, with their numbers below. */
function Arm({
  symbols,
  bound,
  children,
}: {
  readonly symbols: React.ReactNode;
  readonly bound: boolean;
  readonly children: React.ReactNode;
}) {
  return (
    <span className={cx(s.arm, bound && s.bound)}>
      <i>{symbols}</i>
      <Text tone="soft" size="s" className={cx("num", s.numbers)}>
        {children}
      </Text>
    </span>
  );
}
