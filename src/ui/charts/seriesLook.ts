/** @file How lines are told apart: colour and dash both, so that neither is needed alone. */

export interface Look {
  readonly color: string;
  /** SVG dash pattern; "none" for a full line. */
  readonly dash: string;
}

const COLORS = [
  "var(--lapis)",
  "var(--rubric)",
  "var(--verdigris)",
  "var(--ochre)",
  "var(--layer-8)",
  "var(--layer-1)",
];
const DASHES = ["none", "7 3", "2 3", "9 3 2 3"];

/**
 * Looks by series name. Of two runs that are compared ("A: …", "B: …") the same line has the same colour, and B's
 * is dashed; else, colours first and then dashes.
 */
export function seriesLook(series: readonly string[]): ReadonlyMap<string, Look> {
  const compared = series.some((name) => name.startsWith("B: "));
  const bases = [...new Set(series.map((name) => name.replace(/^[AB]: /, "")))];
  return new Map(
    series.map((name) => {
      const place = bases.indexOf(name.replace(/^[AB]: /, ""));
      const color = COLORS[place % COLORS.length]!;
      const dash = compared
        ? name.startsWith("B: ")
          ? "6 4"
          : "none"
        : DASHES[(place + Math.floor(place / COLORS.length)) % DASHES.length]!;
      return [name, { color, dash }];
    }),
  );
}
