/** @file How the facts of a memory were encoded: losses, steps, fidelity, and where inexact facts go wrong. */

import { useMemo, useState } from "react";
import {
  fidelityByLength,
  firstWrong,
  lossBand,
  lossCurves,
  stepsHistogram,
} from "../../../figures/encoding.ts";
import { useActions, useServices } from "../../app.tsx";
import { Asked } from "../Asked.tsx";
import { largest } from "../kit/scale.ts";
import { useAsync } from "../../controls/useAsync.ts";
import { Drawn } from "./Drawn.tsx";
import type { SectionProps } from "./MemorySections.tsx";
import { spreadFacts } from "./memoryRows.ts";
import { keyText } from "../../../records/fact.ts";
import s from "../Panel.module.css";

/** Facts whose loss curves are read: a band over more says no more. */
const CURVES = 400;
const SHOWN_CURVES = 12;
const BINS = 20;
/** Inexact facts that are taken apart into tokens. */
const WRONG = 40;

export function EncodingSection({ sides, cellId }: SectionProps) {
  const made = useMemo(() => {
    const reach = Math.max(...sides.map(({ facts }) => largest(facts, ({ steps }) => steps)));
    return {
      steps: sides.map(({ facts, source }) => stepsHistogram(facts, BINS, source, reach)),
      fidelity: sides.map(({ facts, source }) => fidelityByLength(facts, source)),
    };
  }, [sides]);
  return (
    <>
      <Losses sides={sides} />
      <div className={sides.length > 1 ? s.panel : s.pair}>
        <Drawn sides={sides} figures={made.steps} />
        <Drawn sides={sides} figures={made.fidelity} />
      </div>
      <Wrong sides={sides} cellId={cellId} />
    </>
  );
}

function Losses({ sides }: Pick<SectionProps, "sides">) {
  const { library } = useServices();
  const chosen = useMemo(() => sides.map(({ facts }) => spreadFacts(facts, CURVES)), [sides]);
  const losses = useAsync(
    () =>
      Promise.all(
        sides.map(async ({ memory, info }, i) =>
          info === null ? null : library().curves({ memory, ids: chosen[i]!.map(({ id }) => id) }),
        ),
      ),
    [library, sides, chosen],
  );
  const made = useMemo(() => {
    const curves = losses.value?.map(
      (lists, i) =>
        lists?.map((one, j) => {
          const fact = chosen[i]![j]!;
          return { id: fact.id, key: keyText(fact), losses: one };
        }) ?? null,
    );
    const each = <T,>(make: (list: NonNullable<NonNullable<typeof curves>[number]>, i: number) => T) =>
      curves?.map((list, i) => list && make(list, i)) ?? [];
    return {
      band: each((list, i) => lossBand(list, sides[i]!.params.steps, sides[i]!.source)),
      single: each((list, i) => {
        const longest = list.toSorted((a, b) => b.losses.length - a.losses.length);
        return lossCurves(longest, sides[i]!.params.steps, SHOWN_CURVES, sides[i]!.source);
      }),
    };
  }, [losses.value, chosen, sides]);
  if (!losses.value) return <Asked state={losses} waiting="Reading the losses" />;
  return (
    <>
      <Drawn sides={sides} figures={made.band} />
      <Drawn sides={sides} figures={made.single} />
    </>
  );
}

function Wrong({ sides, cellId }: SectionProps) {
  const { engine } = useServices();
  const { ensureModel } = useActions();
  const inexact = useMemo(
    () =>
      sides.map(({ facts, info }) =>
        info === null ? [] : facts.filter(({ exact }) => !exact).slice(0, WRONG),
      ),
    [sides],
  );
  const [asking, setAsking] = useState(false);
  const pairs = useAsync(
    async () => {
      await ensureModel(cellId);
      return Promise.all(
        sides.map(async ({ memory }, i) =>
          inexact[i]!.length === 0
            ? []
            : engine().tokenPairs({ memory, ids: inexact[i]!.map(({ id }) => id) }),
        ),
      );
    },
    [engine, ensureModel, sides, inexact],
    { wanted: asking },
  );
  const made = useMemo(
    () => pairs.value?.map((found, i) => firstWrong(found, sides[i]!.source)) ?? [],
    [pairs.value, sides],
  );
  if (pairs.value) return <Drawn sides={sides} figures={made} />;
  if (inexact.every(({ length }) => length === 0))
    return sides.every(({ facts }) => facts.every(({ exact }) => exact)) ? (
      <p className={s.note}>Every fact is exact: none goes wrong anywhere.</p>
    ) : null;
  return (
    <Asked
      state={pairs}
      waiting="Taking the inexact facts apart into tokens"
      start={{
        label: "Show where inexact facts go wrong",
        note: "Needs the model’s tokens.",
        go: () => {
          setAsking(true);
        },
      }}
    />
  );
}
