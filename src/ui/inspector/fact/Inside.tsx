/** @file One recall seen from inside: its gate by position, the logit lens, or its tokens. */

import { reconstructionFigures } from "../../../figures/registry.ts";
import { FigureList } from "../../charts/FigureView.tsx";
import { GatePanel } from "../../charts/GatePanel.tsx";
import { Ask } from "../../controls/Asked.tsx";
import type { FactTools } from "./useFact.ts";
import s from "./FactPanel.module.css";

export type View = "trace" | "lens" | "tokens";

export function Inside({ view, tools }: { readonly view: View; readonly tools: FactTools }) {
  const { memory, row, source } = tools;
  const { id } = row;
  const inputs = [memory, row];
  const figures = { trace: null, pair: null, lens: null };
  if (view === "trace")
    return (
      <Ask
        ask={({ engine }, signal) => engine().trace({ memory, id }, { signal })}
        inputs={inputs}
        what="Recalling with both reads"
      >
        {(trace) => <GatePanel trace={trace} source={source("trace")} />}
      </Ask>
    );
  if (view === "lens")
    return (
      <Ask
        ask={({ engine }, signal) => engine().lens({ memory, id }, { signal })}
        inputs={inputs}
        what="Reading every layer, with δ and without"
      >
        {(lens) => (
          <FigureList figures={reconstructionFigures({ ...figures, lens, source: source("logit lens") })} />
        )}
      </Ask>
    );
  return (
    <Ask
      ask={({ engine }, signal) => engine().tokenPairs({ memory, ids: [id] }, { signal })}
      inputs={inputs}
      what="Recalling token by token"
    >
      {([pair]) =>
        pair ? (
          <FigureList figures={reconstructionFigures({ ...figures, pair, source: source("recall") })} />
        ) : (
          <p className={s.soft}>
            The stored value of this fact is not known; there is nothing to compare with.
          </p>
        )
      }
    </Ask>
  );
}
