/** @file Reconstructions: token logits with and without δ, the lens by layer, the map. */

import { many } from "../lib/format.ts";
import type { LensTrace } from "../records/trace.ts";
import { defineFigure, FACT } from "./figure.ts";
import type { VectorMap } from "../records/geometry.ts";

export const tokenLogits = defineFigure({
  kind: "token-logits",
  wide: true,
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
  make: ({ key, layer, steps }: LensTrace) => ({
    title: `Token by token, with and without δ: ${key}`,
    caption: `The model is fed its own recall with δ at layer ${layer}; both runs see the same tokens.`,
    rows: steps.map(({ right, chosen, withDelta, withoutDelta }, i) => {
      const [on, off] = [withDelta.at(-1)!, withoutDelta.at(-1)!];
      return {
        ...{ step: i + 1, right: right.text, chosen: chosen.text, exact: right.id === chosen.id },
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
  }),
});

export const lensGrid = defineFigure({
  kind: "lens",
  columns: {
    layer: ["after layer", "", "number"],
    step: ["decoded token", "", "number"],
    right: ["right token", "", "text"],
    logProbability: ["log-probability of the right token", "nats", "number"],
    rank: ["rank of the right token", "", "number"],
    best: ["likeliest token", "", "text"],
    top: ["likeliest five", "", "text"],
  },
  make: ({ lens, withDelta }: { readonly lens: LensTrace; readonly withDelta: boolean }) => {
    const { key, layer: at, steps } = lens;
    const side = withDelta ? "with" : "without";
    return {
      id: `lens-${side}-delta`,
      title: `Logit lens ${side} δ: ${key}`,
      caption: `The residual stream after each layer through final norm and head; δ is added at layer ${at}.`,
      rows: steps.flatMap(({ right, ...step }, i) =>
        (withDelta ? step.withDelta : step.withoutDelta).map(({ layer, right: standing, top }) => ({
          ...{ layer: layer as number, step: i + 1, right: right.text },
          ...{ logProbability: standing.logProbability, rank: standing.rank, best: top[0]?.text ?? "" },
          top: top
            .map(({ text, logProbability }) => `${text} ${Math.exp(logProbability).toFixed(2)}`)
            .join(" · "),
        })),
      ),
      guides: [{ axis: "y", value: at, label: `δ at layer ${at}` }],
    };
  },
});

export const mapRows = defineFigure({
  kind: "map",
  columns: {
    ...FACT,
    anchor: ["anchor e", "", "text"],
    layer: ["layer ℓ", "", "number"],
    fidelity: ["fidelity", "token F1", "number"],
    exact: ["exact", "", "boolean"],
    x: ["first axis", "", "number"],
    y: ["second axis", "", "number"],
  },
  make: ({ request, available, points, explained }: VectorMap) => {
    const method = request.method === "pca" ? "PCA" : `UMAP (cosine, seed ${request.seed})`;
    // One point has no spread, and no neighbour.
    const how =
      points.length < 2
        ? method
        : explained
          ? explained[0] > 0
            ? `PCA; the axes hold ${percent(explained[0])} and ${percent(explained[1])} of the variance`
            : "PCA; the vectors are all alike, so the axes hold nothing"
          : `${method}; distances within a cluster mean more than those between`;
    return {
      id: `map-${request.of}-${request.method}`,
      title: `Map of ${request.of === "key" ? "keys" : "residuals δ"}${request.layer === null ? "" : ` of layer ${request.layer}`}`,
      caption: `${how}. ${points.length} of ${many(available, "vector")}, each at unit length.`,
      rows: points.map(({ id, ...point }) => ({ fact: id, ...point })),
    };
  },
});

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
