/** @file The facts that lie nearest: by key in their layer, by residual in the whole memory. */

import { lazy, Suspense } from "react";
import type { Neighbour } from "../../../records/geometry.ts";
import { nearestRows } from "../../../figures/reconstruction.ts";
import { keyText } from "../../../records/fact.ts";
import { FactButton } from "./FactButton.tsx";
import { Loading, NeedsModel } from "./Loading.tsx";
import type { FactTools } from "./useFact.ts";
import { SAVED } from "./VectorSection.tsx";
import { Row } from "../../controls/layout.tsx";
import s from "./FactPanel.module.css";

const FigureView = lazy(() =>
  import("../../charts/FigureView.tsx").then(({ FigureView }) => ({ default: FigureView })),
);

const SHOWN = 6;

export function NearestSection({ tools }: { readonly tools: FactTools }) {
  const { memory, row, saved, source } = tools;
  if (saved) return <p className={s.soft}>{SAVED}</p>;
  const part = (found: readonly Neighbour[], by: "key" | "residual") => (
    <>
      <Suspense fallback={<div className={s.figureRoom} />}>
        <FigureView
          figure={nearestRows({ neighbours: found, key: keyText(row), by }, source("stored vectors"))}
        />
      </Suspense>
      <Row as="p" wrap gap="0.15rem 0.7rem" tone="soft" size="s">
        {found.length > 0 && "Open "}
        {found.map(({ id, key }) => (
          <FactButton key={key} id={id} look="link">
            {key}
          </FactButton>
        ))}
      </Row>
    </>
  );
  return (
    <NeedsModel tools={tools}>
      <Loading
        ask={({ engine }) => engine().nearest({ memory, id: row.id, count: SHOWN })}
        inputs={[memory, row]}
        what="Comparing the stored vectors"
      >
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
