/**
 * @file The ghost of lost writing: minims without letters, as long as the gap was. It is drawn blurred and never read
 * out; which strokes stand where says nothing, only their number does.
 */

/** `length` characters of strokes in words, the same for the same seed. */
export function strokes(seed: number, length: number): string {
  let state = (seed * 2_654_435_761 + 1) >>> 0;
  const next = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  let text = "";
  while (text.length < length) {
    for (let left = 2 + next(3) + next(5); left > 0; left--) text += MINIMS[next(MINIMS.length)];
    text += " ";
  }
  return text.slice(0, length);
}

const MINIMS = ["ı", "ı", "n", "u", "m", "ȷ", "ſ", "ı"] as const;
