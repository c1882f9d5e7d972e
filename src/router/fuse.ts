/** @file Reciprocal rank fusion (Cormack et al. 2009), which combines the paper's two rankings. */

export interface Ranked {
  readonly rank: number;
  readonly score: number;
}

/** Ranks entries by score, best first. Equal scores share a rank: the stored order must not decide. */
export function rankByScore(scored: readonly { id: number; score: number }[]): Map<number, Ranked> {
  const ordered = scored.toSorted((a, b) => b.score - a.score || a.id - b.id);
  const ranked = new Map<number, Ranked>();
  let rank = 0;
  ordered.forEach(({ id, score }, i) => {
    if (i === 0 || score < ordered[i - 1]!.score) rank = i + 1;
    ranked.set(id, { rank, score });
  });
  return ranked;
}

/** Sum over rankings of 1 / (k + rank); an entry that a ranking lacks adds nothing. */
export function fuse(rankings: readonly ReadonlyMap<number, Ranked>[]): Map<number, number> {
  const fused = new Map<number, number>();
  for (const ranking of rankings) {
    for (const [id, { rank }] of ranking) fused.set(id, (fused.get(id) ?? 0) + 1 / (RRF_K + rank));
  }
  return fused;
}

const RRF_K = 60;
