/** @file A layer as its colour and its number: the same colour in every figure of the app. */

import type { LayerIndex } from "../../records/ids.ts";
import { layerColor } from "../layerColor.ts";
import { Row } from "../controls/layout.tsx";
import s from "./LayerChip.module.css";

export function LayerChip({ layer }: { readonly layer: LayerIndex }) {
  return (
    <Row as="span" align="center" gap="0.4rem" inline>
      <span className={s.colour} style={{ background: layerColor(layer) }} aria-hidden="true" />
      <span className="visually-hidden">layer </span>
      <span className="num">{layer}</span>
    </Row>
  );
}
