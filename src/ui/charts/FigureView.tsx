/**
 * @file Any figure, drawn by the picture of its kind. `beside` is a second figure of the same kind; both are then drawn
 * on one scale.
 */

import type { FigureKind, FigureOf } from "../../figures/registry.ts";
import { DRAWINGS } from "./drawings.ts";
import { FigureFrame } from "./kit/FigureFrame.tsx";
import type { PictureOf } from "./kit/picture.ts";

interface Viewed<K extends FigureKind> {
  readonly figure: FigureOf<K>;
  readonly beside?: NoInfer<FigureOf<K>> | null;
}

export function FigureView<K extends FigureKind>({ figure, beside = null }: Viewed<K>) {
  const drawing: PictureOf<K> | "table" = DRAWINGS[figure.kind];
  if (drawing === "table") return <FigureFrame<K> figure={figure} picture={null} />;
  // Pictures are hooks: another kind is another component.
  return <Pictured<K> key={figure.kind} figure={figure} beside={beside} usePicture={drawing} />;
}

function Pictured<K extends FigureKind>({
  figure,
  beside = null,
  usePicture,
}: Viewed<K> & { readonly usePicture: PictureOf<K> }) {
  return <FigureFrame<K> figure={figure} picture={usePicture(figure, beside)} />;
}
