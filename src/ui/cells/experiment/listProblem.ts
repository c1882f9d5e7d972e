/** @file What is wrong with a list of numbers as it is written in a study's settings. */

/** As a sentence; null where nothing is, or where the setting is no list of numbers. `usual`: its default. */
export function listProblem(text: string, usual: string): string | null {
  const known = itemsOf(usual);
  if (!known.every((item) => NUMBER.test(item))) return null;
  const items = itemsOf(text);
  if (items.length === 0) return `At least one number is needed, e.g. ${usual}.`;
  const bad = items.filter((item) => !NUMBER.test(item));
  if (bad.length > 0) return `“${bad[0]}” is no number from 0 on; write them as in ${usual}.`;
  return known.every(isWhole) && !items.every(isWhole)
    ? `“${items.find((item) => !isWhole(item))}” must be a whole number.`
    : null;
}

const itemsOf = (text: string): readonly string[] =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");

const NUMBER = /^\d+(?:\.\d+)?$/;
const isWhole = (item: string): boolean => /^\d+$/.test(item);
