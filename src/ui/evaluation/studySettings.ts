/** @file Problems of a study's settings as they are typed. */

/**
 * The problem of a list of numbers, as a sentence; null if there is none, or if the setting is not a list of numbers.
 * @param usual the setting's default
 */
export function listProblem(text: string, usual: string): string | null {
  const known = itemsOf(usual);
  if (!known.every((item) => NUMBER.test(item))) return null;
  const items = itemsOf(text);
  if (items.length === 0) return `Enter at least one number, e.g. ${usual}.`;
  const bad = items.find((item) => !NUMBER.test(item));
  if (bad !== undefined) return `“${bad}” is not a number of 0 or more; write numbers as in ${usual}.`;
  const fraction = items.find((item) => !isWhole(item));
  return known.every(isWhole) && fraction !== undefined ? `“${fraction}” must be a whole number.` : null;
}

const itemsOf = (text: string): readonly string[] =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");

const NUMBER = /^\d+(?:\.\d+)?$/;
const isWhole = (item: string): boolean => /^\d+$/.test(item);
