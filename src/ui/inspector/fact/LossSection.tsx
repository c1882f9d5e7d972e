/** @file The loss of Eq. 3 before each step of the fact's encoding. */

import { lazy, Suspense, useCallback } from "react";
import { lossCurves } from "../../../figures/encoding.ts";
import { useApp, useServices } from "../../app.tsx";
import { keyText } from "../../../records/fact.ts";
import { Loading } from "./Loading.tsx";
import type { FactTools } from "./useFact.ts";
import s from "./FactPanel.module.css";
import { modelTag } from "../../../records/memory.ts";

const Losses = lazy(() =>
  import("../../charts/LossCurvesFigure.tsx").then(({ LossCurvesFigure }) => ({ default: LossCurvesFigure })),
);

export function LossSection({ tools: { memory, row, saved } }: { readonly tools: FactTools }) {
  const { library } = useServices();
  const info = useApp((state) => state.memory.info);
  const load = useCallback(() => library().curves({ memory, ids: [row.id] }), [library, memory, row]);
  if (saved)
    return <p className={s.soft}>The saved example holds no losses. Run all cells, and they are kept.</p>;
  const source = {
    run: "the fact's last encoding",
    at: row.memorizedAt,
    backend: "",
    model: info ? modelTag(info.model) : "",
    app: "",
  };
  return (
    <Loading load={load} what="Reading the losses">
      {([losses = []]) =>
        losses.length === 0 ? (
          <p className={s.soft}>It was exact before the first step: there was nothing to optimise.</p>
        ) : (
          <Suspense fallback={<div className={s.figureRoom} />}>
            <Losses
              figure={lossCurves(
                [{ id: row.id, key: keyText(row), losses }],
                info?.params.steps ?? losses.length,
                1,
                source,
              )}
            />
          </Suspense>
        )
      }
    </Loading>
  );
}
