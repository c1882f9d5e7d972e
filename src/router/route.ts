/** @file Question -> Route: which anchors and facts are recalled, and why each scored anchor was kept or cut. */

import type { Route, RoutedAnchor, RouteVerdict } from "../records/answer.ts";
import type { ParamsOf } from "../records/params.ts";
import { denseRank, unitEmbedding } from "./dense.ts";
import { haveVectors } from "../records/memory.ts";
import { fuse, type Ranked } from "./fuse.ts";
import { rankedRoute } from "./rank.ts";
import type { RouterIndex } from "./routerIndex.ts";

export type RouteParams = ParamsOf<"route">;

interface Evidence {
  readonly dense: ReadonlyMap<number, Ranked>;
  readonly lexical: ReadonlyMap<number, Ranked>;
  readonly fused: ReadonlyMap<number, number>;
  readonly verbatim: ReadonlySet<number>;
  /** How near single facts are, by their own vectors and fused with their words; empty without `factVectors`. */
  readonly factDense: ReadonlyMap<number, Ranked>;
  readonly facts: ReadonlyMap<number, number>;
  readonly matched: readonly number[];
}

/**
 * Routes a question: at most `maxAnchors` anchors and `maxFacts` facts, in fused-rank order. A verbatim anchor in the question
 * restricts routing to it and to facts that mention it; otherwise an anchor must reach `routeShare` of the leading score.
 * Leading facts bring their anchors in with `factVectors`. @param calibrated lowest cosine that counts as near, if `params`
 * leave it to the embedder
 */
export function route(
  question: string,
  vector: Float32Array | null,
  index: RouterIndex,
  params: RouteParams,
  calibrated = DENSE_FLOOR,
): Route {
  if (params.routing === "dense" && index.documents.length !== 0 && !haveVectors(index.documents))
    throw new Error(
      "router: this memory has no vectors of its anchors, because it was memorised with routing by words; ask with " +
        "routing=lexical, or memorise the text again with routing=dense",
    );
  const side = trusted(params, calibrated);
  if (params.ranking !== "anchors") return rankedRoute(question, vector, index, params, side.floor);
  const evidence = gather(question, vector && unitEmbedding(vector), index, side.params, side.floor);
  const order = fusedOrder(evidence);
  const eligible = eligibleOnes(order, evidence, params);
  const kept = keep(eligible, evidence, params.maxAnchors);
  const chosen = order.filter((id) => kept.has(id));
  const share = params.routeShare;
  return {
    question,
    anchors: order.map((id) => routed(id, index, evidence, { kept, eligible, share })),
    facts: expand(chosen, index, evidence, params).map((position) => index.facts[position]!.fact.id),
  };
}

function trusted(params: RouteParams, calibrated: number): { params: RouteParams; floor: number } {
  const floor = params.denseFloor ?? calibrated;
  if (floor <= 1) return { params, floor };
  return params.routing === "dense"
    ? { params, floor: -1 }
    : { params: { ...params, routing: "lexical" }, floor };
}

export const needsVector = ({ routing }: Pick<RouteParams, "routing">): boolean => routing !== "lexical";

export const keepsVectors = (params: Pick<RouteParams, "routing" | "factVectors">): boolean =>
  needsVector(params) || params.factVectors;

function gather(
  question: string,
  vector: Float32Array | null,
  index: RouterIndex,
  params: RouteParams,
  floor: number,
): Evidence {
  const near = (vectors: readonly (Float32Array | undefined)[]): ReadonlyMap<number, Ranked> =>
    vector && needsVector(params) ? denseRank(vector, vectors) : new Map();
  const words = params.routing === "dense" ? "" : question;
  const dense = near(index.documents.map((document) => document.vector));
  const lexical = index.byDocument().rank(words, params.lexical);
  const verbatim = index.verbatim(question);
  const single = params.factVectors ? index.facts.map(({ fact }) => fact.vector) : [];
  const factDense = near(single);
  const facts = fuseFrom(
    factDense,
    single.some(Boolean) ? index.byFact().rank(words, params.lexical) : undefined,
    floor,
  );
  const paraphrased = [...factDense].slice(0, DENSE_HITS).filter(([, { score }]) => score >= floor);
  const leading = [...byScore(facts).slice(0, FACT_HITS), ...paraphrased.map(([id]) => id)];
  const matched = matches(leading, verbatim, index);
  return {
    ...{ dense, lexical, fused: fuseFrom(dense, lexical, floor), verbatim },
    ...{ factDense, facts, matched },
  };
}

function fuseFrom(
  dense: ReadonlyMap<number, Ranked>,
  lexical: ReadonlyMap<number, Ranked> | undefined,
  floor: number,
): Map<number, number> {
  const fused = fuse(lexical ? [dense, lexical] : [dense]);
  const takesPart = (id: number): boolean =>
    (lexical?.has(id) ?? false) || (dense.get(id)?.score ?? -1) >= floor;
  return new Map([...fused].filter(([id]) => takesPart(id)));
}

/** Owners of the leading facts. Under a verbatim anchor a fact counts only if it mentions that anchor. */
function matches(leading: readonly number[], verbatim: ReadonlySet<number>, index: RouterIndex): number[] {
  const mentioning = verbatim.size > 0 ? index.mentioning(verbatim) : undefined;
  const allowed = leading.filter((id) => mentioning?.has(id) ?? true);
  return [...new Set(allowed.map((id) => index.facts[id]!.owner))];
}

function fusedOrder({ fused, verbatim, matched }: Evidence): number[] {
  const all = new Map(fused);
  for (const id of [...verbatim, ...matched]) if (!all.has(id)) all.set(id, 0);
  return byScore(all);
}

function byScore(scores: ReadonlyMap<number, number>): number[] {
  return [...scores].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([id]) => id);
}

/** The verbatim anchors of the question; without any, all documents that reach the share of the leading score. */
function eligibleOnes(order: readonly number[], { fused, verbatim }: Evidence, { routeShare }: RouteParams) {
  if (verbatim.size > 0) return new Set(order.filter((id) => verbatim.has(id)));
  const score = (id: number | undefined): number => (id === undefined ? 0 : (fused.get(id) ?? 0));
  // Scores are sums of a few reciprocals; the slack keeps an exact share of the best from failing by rounding.
  const least = routeShare * score(order[0]) - ROUNDING;
  return new Set(order.filter((id) => score(id) > 0 && score(id) >= least));
}

function keep(eligible: ReadonlySet<number>, { matched }: Evidence, limit: number): ReadonlySet<number> {
  const byPriority = new Set([...[...eligible].slice(0, 1), ...matched, ...eligible]);
  return new Set([...byPriority].slice(0, limit));
}

interface Choice {
  readonly kept: ReadonlySet<number>;
  readonly eligible: ReadonlySet<number>;
  readonly share: number;
}

function routed(
  id: number,
  { documents }: RouterIndex,
  { dense, lexical, fused, verbatim }: Evidence,
  { kept, eligible, share }: Choice,
): RoutedAnchor {
  const near = dense.get(id);
  const shared = lexical.get(id);
  return {
    anchor: documents[id]!.anchor,
    denseRank: near?.rank ?? null,
    denseScore: near?.score ?? null,
    lexicalRank: shared?.rank ?? null,
    lexicalScore: shared?.score ?? null,
    fused: fused.get(id) ?? 0,
    kept: kept.has(id),
    why: verdict(kept.has(id), eligible.has(id), verbatim.size > 0, share),
  };
}

function verdict(kept: boolean, eligible: boolean, restricted: boolean, share: number): RouteVerdict {
  if (kept && !eligible) return "matched by a fact";
  if (kept) return restricted ? "verbatim anchor in the question" : `within ${share} of the best`;
  if (eligible) return "cut: beyond the anchor limit";
  return restricted ? "cut: a verbatim anchor restricts routing" : `cut: below ${share} of the best`;
}

/** Positions of the facts of the kept anchors in fused-rank order. With fact vectors each later anchor is sure of one place. */
function expand(kept: readonly number[], index: RouterIndex, evidence: Evidence, params: RouteParams) {
  const positions = new Map<number, number[]>(kept.map((id) => [id, []]));
  index.facts.forEach(({ owner }, position) => positions.get(owner)?.push(position));
  const facts: number[] = [];
  kept.forEach((id, i) => {
    const reserved = params.factVectors ? kept.length - 1 - i : 0;
    const room = Math.max(
      params.maxFacts - facts.length - reserved,
      Math.min(1, params.maxFacts - facts.length),
    );
    facts.push(...choose(positions.get(id)!, room, evidence));
  });
  return facts;
}

function choose(own: readonly number[], room: number, { factDense, facts }: Evidence): readonly number[] {
  if (room <= 0) return [];
  if (own.length <= room) return own;
  if (!own.some((position) => facts.has(position))) return own.slice(-room);
  // Cosine first: words decide little within an anchor, whose name all its facts share with the question.
  const near = (position: number): number => factDense.get(position)?.score ?? -1;
  const fused = (position: number): number => facts.get(position) ?? 0;
  const similar = own.toSorted((a, b) => near(b) - near(a) || fused(b) - fused(a) || b - a);
  const latest = own.at(-1)!;
  const chosen = room > 1 ? [latest, ...similar.filter((position) => position !== latest)] : similar;
  return chosen.slice(0, room).toSorted((a, b) => a - b);
}

/** Sentence embedders put unrelated texts near 0 to 0.2 and paraphrases above 0.5. */
const DENSE_FLOOR = 0.3;
const FACT_HITS = 2;
/** Leading facts by cosine alone: a paraphrase shares no word, so its fused score is low. */
const DENSE_HITS = 1;
const ROUNDING = 1e-12;
