/** @file The loss of Eq. 3 before each step of the fact's encoding. */

import { lazy, Suspense } from "react";
import { lossCurves } from "../../../figures/encoding.ts";
import { useApp } from "../../app.tsx";
import { keyText } from "../../../records/fact.ts";
import { modelTag } from "../../../records/memory.ts";
import { Loading } from "./Loading.tsx";
import { summedOver } from "./partsText.ts";
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
  const summed = summedOver(row);
  return (
    <Loading
      ask={({ library }) => library().curves({ memory, ids: [row.id] })}
      inputs={[memory, row]}
      what="Reading the losses"
    >
      {([losses = []]) => {
        if (losses.length === 0)
          return <p className={s.soft}>It was exact before the first step: there was nothing to optimise.</p>;
        const curves = [{ id: row.id, key: keyText(row), tokens: row.tokens, losses }];
        return (
          <>
            <Suspense fallback={<div className={s.figureRoom} />}>
              <FigureView
                figure={lossCurves({ curves, guided: info?.params.steps ?? losses.length }, source)}
              />
            </Suspense>
            {summed && <p className={s.soft}>{summed}</p>}
          </>
        );
      }}
    </Loading>
  );
}
