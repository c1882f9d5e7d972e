/** @file One colour for one layer in every figure. */

import type { LayerIndex } from "../records/ids.ts";

/** Colours in theme.css; a deeper model takes them round again, so figures name the layer as well. */
export const LAYER_COLORS = 12;

/** The CSS colour of layer ℓ, e.g. "var(--layer-3)". */
export const layerColor = (layer: LayerIndex): string => `var(--layer-${layer % LAYER_COLORS})`;
