/** @file The loss of Eq. 3 before each step of the fact's encoding. */

import { lazy, Suspense } from "react";
import { curvesOf, lossCurves } from "../../../figures/encoding.ts";
import { useApp } from "../../app.tsx";
import { modelTag } from "../../../records/memory.ts";
import { Loading } from "./Loading.tsx";
import type { FactTools } from "./useFact.ts";
import s from "./FactPanel.module.css";

const FigureView = lazy(() =>
  import("../../charts/FigureView.tsx").then(({ FigureView }) => ({ default: FigureView })),
);

export function LossSection({ tools: { memory, row, saved } }: { readonly tools: FactTools }) {
  const info = useApp((state) => state.memory.info);
  if (saved)
    return <p className={s.soft}>The saved example holds no losses. Run all cells, and they are kept.</p>;
  const model = info ? modelTag(info.model) : "";
  const source = { run: "the fact's last encoding", at: row.memorizedAt, backend: "", model, app: "" };
  return (
    <Loading
      ask={({ library }) => library().curves({ memory, ids: [row.id] })}
      inputs={[memory, row]}
      what="Reading the losses"
    >
      {(losses) => {
        const curves = curvesOf([row], losses);
        const steps = Math.max(0, ...curves.map((curve) => curve.losses.length));
        if (steps === 0)
          return <p className={s.soft}>It was exact before the first step: there was nothing to optimise.</p>;
        return (
          <Suspense fallback={<div className={s.figureRoom} />}>
            <FigureView figure={lossCurves({ curves, guided: info?.params.steps ?? steps }, source)} />
          </Suspense>
        );
      }}
    </Loading>
  );
}
