/** @file How the facts of a memory were encoded: losses, steps, fidelity, and where inexact facts go wrong. */

import { useState } from "react";
import { curvesOf, type Curve } from "../../../figures/encoding.ts";
import type { TokenPair } from "../../../records/trace.ts";
import type { EngineService } from "../../../service/engineService.ts";
import type { LibraryService } from "../../../service/library/libraryService.ts";
import { useActions, useServices } from "../../app.tsx";
import { Asked } from "../Asked.tsx";
import { useAsync } from "../../controls/useAsync.ts";
import { Listed } from "./Listed.tsx";
import type { SectionProps } from "./MemorySections.tsx";
import { spreadFacts } from "./memoryRows.ts";
import type { Side } from "./sides.ts";
import s from "../Panel.module.css";

/** Facts whose loss curves are read: a band over more says no more. */
const CURVES = 400;
/** Inexact facts that are taken apart into tokens. */
const WRONG = 40;

export function EncodingSection({ sides, cellId }: SectionProps) {
  return (
    <>
      <Losses sides={sides} />
      <Listed sides={sides} section="encoding" needs={null} />
      <Wrong sides={sides} cellId={cellId} />
    </>
  );
}

function Losses({ sides }: Pick<SectionProps, "sides">) {
  const { library } = useServices();
  const losses = useAsync(
    () => Promise.all(sides.map(async (side) => ({ ...side, curves: await lossesOf(library(), side) }))),
    [library, sides],
  );
  if (!losses.value) return <Asked state={losses} waiting="Reading the losses" />;
  return <Listed sides={losses.value} section="encoding" needs="curves" />;
}

/** Losses of facts from all over a memory; null where they are not in this browser. */
async function lossesOf(library: LibraryService, { memory, info, facts }: Side): Promise<Curve[] | null> {
  if (info === null) return null;
  const chosen = spreadFacts(facts, CURVES);
  const losses = await library.curves({ memory, ids: chosen.map(({ id }) => id) });
  return curvesOf(chosen, losses);
}

function Wrong({ sides, cellId }: SectionProps) {
  const { engine } = useServices();
  const { ensureModel } = useActions();
  const [asking, setAsking] = useState(false);
  const wrong = useAsync(
    async () => {
      await ensureModel(cellId);
      return Promise.all(sides.map(async (side) => ({ ...side, pairs: await pairsOf(engine(), side) })));
    },
    [engine, ensureModel, sides],
    { wanted: asking },
  );
  if (wrong.value) return <Listed sides={wrong.value} section="encoding" needs="pairs" />;
  if (sides.every((side) => inexactOf(side).length === 0))
    return sides.every(({ facts }) => facts.every(({ exact }) => exact)) ? (
      <p className={s.note}>Every fact is exact: none goes wrong anywhere.</p>
    ) : null;
  return (
    <Asked
      state={wrong}
      waiting="Taking the inexact facts apart into tokens"
      start={{
        label: "Show where inexact facts go wrong",
        note: "Needs the model’s tokens.",
        go: () => setAsking(true),
      }}
    />
  );
}

/** Inexact facts whose vectors are in this browser. */
const inexactOf = ({ facts, info }: Side) =>
  info === null ? [] : facts.filter(({ exact }) => !exact).slice(0, WRONG);

function pairsOf(engine: EngineService, side: Side): Promise<readonly TokenPair[]> {
  const ids = inexactOf(side).map(({ id }) => id);
  return ids.length === 0 ? Promise.resolve([]) : engine.tokenPairs({ memory: side.memory, ids });
}
