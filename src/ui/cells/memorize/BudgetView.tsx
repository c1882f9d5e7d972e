/** @file Eq. 1 with its numbers, as it would stand in the paper; the arm that binds is marked. */

import { cx } from "../../cx.ts";
import { count } from "../../format.ts";
import { armsOf, boundSentence, budgetSpoken, perFact, type BudgetNumbers } from "./budgetText.ts";
import s from "./Budget.module.css";

export function BudgetView({ budget }: { readonly budget: BudgetNumbers }) {
  const { anchors, depth, layers, capacity, stored = 0, vectorsPerFact, bound } = budget;
  const { facts } = armsOf(budget);
  return (
    <div className={s.budget}>
      <p className="visually-hidden">{budgetSpoken(budget)}</p>
      <div className={s.equation} aria-hidden="true">
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
      </div>
      <p className={s.sentence}>{boundSentence(budget)}</p>
    </div>
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
      <span className={cx("num", s.numbers)}>{children}</span>
    </span>
  );
}
