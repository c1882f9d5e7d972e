/** @file Where a long value is cut: between words, if possible at the end of a clause, into even parts. */

import { assert } from "../lib/assert.ts";
import { PROBE } from "../records/parameterKinds.ts";
import type { MethodParams } from "../records/params.ts";
import { lengthCost, UNPROBED_TOKENS, type LengthProbe, type PartPlan } from "../records/plan.ts";

/** How well a cut in front of a token reads: at the end of a clause, between words, or inside a word. */
export type Seam = "clause" | "word" | "inside";

const SEAM_COST: Readonly<Record<Seam, number>> = { clause: 0, word: 0.15, inside: 4 };

/**
 * Cuts a value into the fewest parts of at most `longest` tokens, as even as seams allow; `seams[i]` is in front of token i.
 * @throws if `longest` is not a whole number from 1
 */
export function cutParts(seams: readonly Seam[], longest: number): number[] {
  assert(
    Number.isInteger(longest) && longest >= 1,
    () => `plan: parts of at most ${longest} tokens were asked for; a whole number from 1 is needed`,
  );
  const total = seams.length;
  if (total <= longest) return total === 0 ? [] : [total];
  return cutInto(seams, Math.ceil(total / longest), longest);
}

/** Cuts as {@link cutParts} does, into `count` parts. @throws if they cannot hold it, or there are fewer tokens than parts */
export function cutInto(seams: readonly Seam[], count: number, longest = Infinity): number[] {
  const total = seams.length;
  if (!(count >= 1 && count <= total && count * longest >= total))
    throw new Error(`plan: ${total} tokens cannot be cut into ${count} parts of at most ${longest}`);
  const even = total / count;
  // best[k][i]: the least cost of the first i tokens in k parts; from[k][i]: where the last of them begins.
  const best = Array.from({ length: count + 1 }, () => new Float64Array(total + 1).fill(Infinity));
  const from = Array.from({ length: count + 1 }, () => new Int32Array(total + 1));
  best[0]![0] = 0;
  for (let k = 1; k <= count; k++)
    for (let end = k; end <= total; end++)
      for (let start = Math.max(k - 1, end - longest); start < end; start++) {
        const deviation = (end - start - even) / even;
        const cost =
          best[k - 1]![start]! + deviation * deviation + (start > 0 ? SEAM_COST[seams[start]!] : 0);
        if (cost < best[k]![end]!) {
          best[k]![end] = cost;
          from[k]![end] = start;
        }
      }
  const lengths: number[] = [];
  for (let k = count, end = total; k > 0; k--) {
    const start = from[k]![end]!;
    lengths.unshift(end - start);
    end = start;
  }
  return lengths;
}

export const seamsOf = (tokens: readonly string[]): Seam[] =>
  tokens.map((token, i) => {
    const before = tokens[i - 1] ?? "";
    const fresh =
      /^\s/u.test(token) ||
      /\s$/u.test(before) ||
      /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u.test(token);
    if (!fresh) return "inside";
    return /[,;:.!?…—–)"”’』」。、，；：！？]["”’)]*\s*$/u.test(before) ? "clause" : "word";
  });

export const longestPart = ({ partTokens }: Pick<MethodParams, "partTokens">): number | null =>
  partTokens === PROBE ? UNPROBED_TOKENS : partTokens;

const LENGTHS = [5, 7, 10, 14, 20, 28, 40, 56, 80] as const;

/** Tolerated cost over the cheapest length: a memory is written once, so fewer vectors matter more than steps. */
const TOLERATED = 1.2;

/** Tries lengths around {@link UNPROBED_TOKENS} and takes the longest that costs about the least at the best exactness. */
export async function chooseLength(tryOne: (longest: number) => Promise<LengthProbe>): Promise<PartPlan> {
  const first = LENGTHS.indexOf(UNPROBED_TOKENS);
  const tried = [await tryOne(LENGTHS[first]!)];
  for (const step of [1, -1])
    for (let at = first + step; at >= 0 && at < LENGTHS.length; at += step) {
      const next = await tryOne(LENGTHS[at]!);
      tried.push(next);
      const good = goodOf(tried);
      // If a shorter length costs more than a longer one, still shorter ones are not tried.
      if (!good.includes(next) || (step < 0 && good.some((one) => lengthCost(one) < lengthCost(next)))) break;
    }
  const longest = Math.max(...goodOf(tried).map((one) => one.longest));
  return { longest, tried };
}

function goodOf(tried: readonly LengthProbe[]): readonly LengthProbe[] {
  const exact = Math.max(...tried.map(({ exactRate }) => exactRate));
  const best = tried.filter(({ exactRate }) => exactRate === exact);
  const least = Math.min(...best.map(lengthCost));
  return best.filter((one) => lengthCost(one) <= TOLERATED * least);
}
