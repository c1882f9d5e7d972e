/** @file Reconstructions: stored against recalled, token logits with and without δ, the lens by layer, the map. */

import type { LensTrace, TokenPair } from "../records/trace.ts";
import { figure, type Figure, type Source } from "./figure.ts";
import type { Neighbour } from "./geometry.ts";
import type { VectorMap } from "./map.ts";
import { multisetF1 } from "../lib/stats.ts";

/** One run of equal fate in an alignment. */
export type DiffOp = "same" | "missing" | "added";

export interface DiffPart {
  readonly op: DiffOp;
  /** "missing": stored but not recalled; "added": recalled but not stored. */
  readonly token: string;
}

/** The alignment with the most tokens in common (longest common subsequence); missing comes before added. */
export function diffTokens(stored: readonly string[], recalled: readonly string[]): DiffPart[] {
  const [n, m] = [stored.length, recalled.length];
  // common[i][j]: length of the longest common subsequence of stored[i..] and recalled[j..].
  const common = Array.from({ length: n + 1 }, () => new Uint32Array(m + 1));
  for (let i = n - 1; i >= 0; i--)
    for (let j = m - 1; j >= 0; j--)
      common[i]![j] =
        stored[i] === recalled[j]
          ? common[i + 1]![j + 1]! + 1
          : Math.max(common[i + 1]![j]!, common[i]![j + 1]!);
  const parts: DiffPart[] = [];
  let [i, j] = [0, 0];
  while (i < n || j < m) {
    if (i < n && j < m && stored[i] === recalled[j]) {
      parts.push({ op: "same", token: stored[i]! });
      i++;
      j++;
    } else if (i < n && (j === m || common[i + 1]![j]! >= common[i]![j + 1]!))
      parts.push({ op: "missing", token: stored[i++]! });
    else parts.push({ op: "added", token: recalled[j++]! });
  }
  return parts;
}

/** Stored and recalled value as one aligned line. */
export function reconstructionDiff(
  pair: TokenPair,
  source: Source,
): Figure<{ place: number; op: DiffOp; token: string }> {
  const parts = diffTokens(pair.value, pair.recalled);
  const same = parts.filter(({ op }) => op === "same").length;
  return figure({
    id: "reconstruction-diff",
    title: `Stored and recalled: ${pair.key}`,
    caption:
      `F1 ${multisetF1(pair.value, pair.recalled).toFixed(3)}: ${same} tokens in order are the same, ` +
      `${pair.value.length - same} missing, ${pair.recalled.length - same} added.`,
    columns: {
      place: ["place", "", "number"],
      op: ["fate", "", "text"],
      token: ["token", "", "text"],
    },
    rows: parts.map(({ op, token }, i) => ({ place: i + 1, op, token })),
    guides: [],
    source,
  });
}

/** Logits of the right and of the chosen token at every decoded position, with and without δ. */
export function tokenLogits(
  { key, layer, steps }: LensTrace,
  source: Source,
): Figure<{
  step: number;
  right: string;
  chosen: string;
  exact: boolean;
  rightWith: number;
  rightWithout: number;
  chosenWith: number;
  chosenWithout: number;
  probabilityWith: number;
  probabilityWithout: number;
  rankWith: number;
  rankWithout: number;
}> {
  return figure({
    id: "token-logits",
    title: `Token by token, with and without δ: ${key}`,
    caption: `The model is fed its own recall with δ at layer ${layer}; both runs see the same tokens.`,
    columns: {
      step: ["decoded token", "", "number"],
      right: ["right token", "", "text"],
      chosen: ["chosen token", "", "text"],
      exact: ["right chosen", "", "boolean"],
      rightWith: ["logit of the right token with δ", "", "number"],
      rightWithout: ["logit of the right token without δ", "", "number"],
      chosenWith: ["logit of the chosen token with δ", "", "number"],
      chosenWithout: ["logit of the chosen token without δ", "", "number"],
      probabilityWith: ["probability of the right token with δ", "share", "number"],
      probabilityWithout: ["probability of the right token without δ", "share", "number"],
      rankWith: ["rank of the right token with δ", "", "number"],
      rankWithout: ["rank of the right token without δ", "", "number"],
    },
    rows: steps.map(({ right, chosen, withDelta, withoutDelta }, i) => {
      const [on, off] = [withDelta.at(-1)!, withoutDelta.at(-1)!];
      return {
        step: i + 1,
        right: right.text,
        chosen: chosen.text,
        exact: right.id === chosen.id,
        rightWith: on.right.logit,
        rightWithout: off.right.logit,
        chosenWith: on.chosen.logit,
        chosenWithout: off.chosen.logit,
        probabilityWith: Math.exp(on.right.logProbability),
        probabilityWithout: Math.exp(off.right.logProbability),
        rankWith: on.right.rank,
        rankWithout: off.right.rank,
      };
    }),
    guides: [],
    source,
  });
}

/** The lens: layer by decoded token, with the right token's standing and the likeliest tokens. */
export function lensGrid(
  { key, layer: at, steps }: LensTrace,
  withDelta: boolean,
  source: Source,
): Figure<{
  layer: number;
  step: number;
  right: string;
  logProbability: number;
  rank: number;
  best: string;
  top: string;
}> {
  return figure({
    id: withDelta ? "lens-with-delta" : "lens-without-delta",
    title: `Logit lens ${withDelta ? "with" : "without"} δ: ${key}`,
    caption: `The residual stream after each layer through final norm and head; δ is added at layer ${at}.`,
    columns: {
      layer: ["after layer", "", "number"],
      step: ["decoded token", "", "number"],
      right: ["right token", "", "text"],
      logProbability: ["log-probability of the right token", "nats", "number"],
      rank: ["rank of the right token", "", "number"],
      best: ["likeliest token", "", "text"],
      top: ["likeliest five", "", "text"],
    },
    rows: steps.flatMap(({ right, ...step }, i) =>
      (withDelta ? step.withDelta : step.withoutDelta).map(({ layer, right: standing, top }) => ({
        layer: layer as number,
        step: i + 1,
        right: right.text,
        logProbability: standing.logProbability,
        rank: standing.rank,
        best: top[0]?.text ?? "",
        top: top
          .map(({ text, logProbability }) => `${text} ${Math.exp(logProbability).toFixed(2)}`)
          .join(" · "),
      })),
    ),
    guides: [{ axis: "y", value: at, label: `δ at layer ${at}` }],
    source,
  });
}

/** Keys or residuals in two dimensions. */
export function mapRows(
  { request, available, points, explained }: VectorMap,
  source: Source,
): Figure<{
  fact: string;
  key: string;
  anchor: string;
  layer: number;
  fidelity: number;
  exact: boolean;
  x: number;
  y: number;
}> {
  const what = request.of === "key" ? `keys of layer ${request.layer}` : "residuals δ";
  const method = request.method === "pca" ? "PCA" : `UMAP (cosine, seed ${request.seed})`;
  const how = explained
    ? `PCA; the axes hold ${percent(explained[0])} and ${percent(explained[1])} of the variance`
    : `${method}; distances within a cluster mean more than those between`;
  return figure({
    id: `map-${request.of}-${request.method}`,
    title: `Map of ${what}`,
    caption: `${how}. ${points.length} of ${available} facts.`,
    columns: {
      fact: ["fact", "id", "text"],
      key: ["key κ", "", "text", "fact"],
      anchor: ["anchor e", "", "text"],
      layer: ["layer ℓ", "", "number"],
      fidelity: ["fidelity", "token F1", "number"],
      exact: ["exact", "", "boolean"],
      x: ["first axis", "", "number"],
      y: ["second axis", "", "number"],
    },
    rows: points.map(({ id, ...point }) => ({ fact: id, ...point })),
    guides: [],
    source,
  });
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** The nearest facts as a table. */
export function nearestRows(
  neighbours: readonly Neighbour[],
  key: string,
  by: "key" | "residual",
  source: Source,
): Figure<{ rank: number; fact: string; key: string; layer: number; cosine: number }> {
  return figure({
    id: `nearest-by-${by}`,
    title: `Nearest to ${key} by ${by}`,
    caption: by === "key" ? "Keys of the same layer." : "Residuals of all layers.",
    columns: {
      rank: ["rank", "", "number"],
      fact: ["fact", "id", "text"],
      key: ["key κ", "", "text", "fact"],
      layer: ["layer ℓ", "", "number"],
      cosine: ["similarity", "cosine", "number"],
    },
    rows: neighbours.map(({ id, key, layer, cosine }, i) => ({ rank: i + 1, fact: id, key, layer, cosine })),
    guides: [],
    source,
  });
}
