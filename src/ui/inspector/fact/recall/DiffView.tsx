/** @file Stored and recalled tokens of one fact, with where they part. */

import type { Source } from "../../../../figures/figure.ts";
import { reconstructionDiff } from "../../../../figures/reconstruction.ts";
import type { TokenPair } from "../../../../records/trace.ts";
import { DiffFigure } from "../../../charts/DiffFigure.tsx";

export function DiffView({ pair, source }: { readonly pair: TokenPair; readonly source: Source }) {
  return <DiffFigure figure={reconstructionDiff(pair, source)} />;
}
