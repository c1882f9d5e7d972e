/** @file Any figure with the picture of its kind, alone, in pairs on one scale, or in a list. */

import type { ReactNode } from "react";
import { traitsOf, type AnyFigure, type FigureKind, type FigureOf } from "../../figures/registry.ts";
import { DRAWINGS } from "./drawings.ts";
import { FigureFrame } from "./kit/FigureFrame.tsx";
import type { PictureOf } from "./kit/picture.ts";
import { Stack } from "../controls/layout.tsx";
import s from "./charts.module.css";

interface Viewed<K extends FigureKind> {
  readonly figure: FigureOf<K>;
  readonly beside?: NoInfer<FigureOf<K>> | null;
}

export function FigureView<K extends FigureKind>({ figure, beside = null }: Viewed<K>) {
  const drawing: PictureOf<K> | "table" = DRAWINGS[figure.kind];
  if (drawing === "table") return <FigureFrame<K> figure={figure} picture={null} />;
  // A picture is a hook: a figure of another kind is another component.
  return <Pictured<K> key={figure.kind} figure={figure} beside={beside} usePicture={drawing} />;
}

function Pictured<K extends FigureKind>({
  figure,
  beside = null,
  usePicture,
}: Viewed<K> & { readonly usePicture: PictureOf<K> }) {
  return <FigureFrame<K> figure={figure} picture={usePicture(figure, beside)} />;
}

export const Compare = <K extends FigureKind>({
  a,
  b,
}: {
  readonly a: FigureOf<K>;
  readonly b: NoInfer<FigureOf<K>>;
}) => (
  <div className={s.pair}>
    <FigureView<K> figure={a} beside={b} />
    <FigureView<K> figure={b} beside={a} />
  </div>
);

/** Elements below each other, those that are not wide in pairs. */
export function Laid({
  parts,
}: {
  readonly parts: readonly { readonly wide: boolean; readonly drawn: ReactNode }[];
}) {
  const runs: { wide: boolean; drawn: ReactNode[] }[] = [];
  for (const { wide, drawn } of parts) {
    const last = runs.at(-1);
    if (last && last.wide === wide) last.drawn.push(drawn);
    else runs.push({ wide, drawn: [drawn] });
  }
  return runs.map(({ wide, drawn }, i) =>
    wide ? (
      <Stack key={i} gap="1.25rem">
        {drawn}
      </Stack>
    ) : (
      <div key={i} className={s.pair}>
        {drawn}
      </div>
    ),
  );
}

/** Figures below each other, those that are not wide in pairs. */
export const FigureList = ({ figures }: { readonly figures: readonly AnyFigure[] }) => (
  <Laid
    parts={figures.map((figure) => ({
      wide: traitsOf(figure.kind as FigureKind).wide,
      drawn: <FigureView key={figure.id} figure={figure} />,
    }))}
  />
);
