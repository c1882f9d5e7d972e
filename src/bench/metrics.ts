/** @file How a benchmark deals out its work. */

/** `items` dealt into `hands`, one by one: neighbours end in different hands. */
export function deal<T>(items: readonly T[], hands: number): T[][] {
  return Array.from({ length: hands }, (_, hand) => items.filter((_, i) => i % hands === hand));
}
