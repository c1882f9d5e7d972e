/** @file The facts that lie nearest: by key in their layer, by residual in the whole memory. */

import { lazy, Suspense, useCallback } from "react";
import type { Neighbour } from "../../../figures/geometry.ts";
import { nearestRows } from "../../../figures/reconstruction.ts";
import { useActions, useServices } from "../../app.tsx";
import { keyText } from "../../../records/fact.ts";
import { Loading, NeedsModel } from "./Loading.tsx";
import type { FactTools } from "./useFact.ts";
import { SAVED } from "./VectorSection.tsx";
import s from "./FactPanel.module.css";

const Nearest = lazy(() =>
  import("../../charts/NearestFigure.tsx").then(({ NearestFigure }) => ({ default: NearestFigure })),
);

const SHOWN = 6;

export function NearestSection({ tools }: { readonly tools: FactTools }) {
  const { memory, row, saved, modelOpen, openModel, source } = tools;
  const { engine } = useServices();
  const load = useCallback(
    () => engine().nearest({ memory, id: row.id, count: SHOWN }),
    [engine, memory, row],
  );
  if (saved) return <p className={s.soft}>{SAVED}</p>;
  const part = (found: readonly Neighbour[], by: "key" | "residual") => (
    <>
      <Suspense fallback={<div className={s.figureRoom} />}>
        <Nearest figure={nearestRows(found, keyText(row), by, source("stored vectors"))} />
      </Suspense>
      <Links found={found} />
    </>
  );
  return (
    <NeedsModel open={modelOpen} onOpen={openModel}>
      <Loading load={load} what="Comparing the stored vectors">
        {({ byKey, byResidual }) => (
          <>
            {part(byKey, "key")}
            {part(byResidual, "residual")}
          </>
        )}
      </Loading>
    </NeedsModel>
  );
}

function Links({ found }: { readonly found: readonly Neighbour[] }) {
  const { inspect } = useActions();
  return (
    <p className={s.links}>
      {found.length > 0 && "Open "}
      {found.map(({ id, key }) => (
        <button
          key={id}
          type="button"
          className={s.link}
          onClick={() => {
            inspect({ kind: "fact", id });
          }}
        >
          {key}
        </button>
      ))}
    </p>
  );
}
