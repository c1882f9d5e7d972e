/** @file pdf.js text items -> lines of a page, and which lines are page furniture (running heads, page numbers). */

interface PdfItem {
  readonly str: string;
  /** [a, b, c, d, x, y] in points, y upwards. */
  readonly transform: readonly number[];
  readonly width: number;
  readonly height: number;
  readonly hasEOL: boolean;
}

export interface PdfLine {
  readonly text: string;
  readonly x: number;
  readonly right: number;
  readonly y: number;
  readonly size: number;
}

export function linesOf(items: readonly PdfItem[]): PdfLine[] {
  const lines: PdfLine[] = [];
  let open: PdfItem[] = [];
  for (const item of items) {
    open.push(item);
    if (!item.hasEOL) continue;
    push(line(open));
    open = [];
  }
  push(line(open));
  return lines;

  /** A soft hyphen that is a line by itself belongs to the line before. */
  function push([found]: readonly PdfLine[]): void {
    const last = lines.at(-1);
    if (found?.text === "\u00ad" && last) lines[lines.length - 1] = { ...last, text: `${last.text}\u00ad` };
    else if (found) lines.push(found);
  }
}

function line(items: readonly PdfItem[]): PdfLine[] {
  const text = items
    .map(({ str }) => str)
    .join("")
    .replace(SPACES, " ")
    .replace(INVISIBLE, "")
    .trim()
    .replace(/\u00ad(?!$)/g, "");
  const inked = items.filter(({ str }) => /\S/.test(str));
  if (text === "" || inked.length === 0) return [];
  const largest = inked.reduce((a, b) => (b.str.length > a.str.length ? b : a));
  const left = inked.map(({ transform }) => transform[4]!);
  return [
    {
      text,
      x: least(left),
      right: -least(inked.map(({ width }, i) => -(left[i]! + width))),
      y: largest.transform[5]!,
      size: largest.height,
    },
  ];
}

/** The pages without page numbers and running heads, whose first stays. @returns also the lines that were taken out */
export function withoutFurniture(pages: readonly (readonly PdfLine[])[]): {
  pages: PdfLine[][];
  removed: string[];
} {
  let kept = pages.map((lines) => [...lines]);
  const removed: string[] = [];
  // Twice, for a head of two lines, or a number under a running foot.
  for (let round = 0; round < 2; round += 1) {
    const seats = kept.flatMap((lines, page) =>
      edges(lines).map((edge) => ({ edge, key: keyOf(edge.text, page) })),
    );
    const counts = new Map<string, number>();
    for (const { key } of seats) counts.set(key, (counts.get(key) ?? 0) + 1);
    const seen = new Set<string>();
    const furniture = new Set<PdfLine>();
    for (const { edge, key } of seats) {
      const counting = key.startsWith(COUNTS);
      if (counts.get(key)! < (counting ? 2 : Math.max(3, kept.length * OFTEN))) continue;
      if (counting || seen.has(key)) furniture.add(edge);
      seen.add(key);
    }
    removed.push(...[...furniture].map(({ text }) => text));
    kept = kept.map((lines) => lines.filter((candidate) => !furniture.has(candidate)));
  }
  return { pages: kept, removed };
}

/** Usual distance between two lines in points: the lower quartile. Undefined if no line is below another. */
export function pitchOf(lines: readonly PdfLine[]): number | undefined {
  const down = lines.slice(1).map((line, i) => lines[i]!.y - line.y);
  const gaps = down.filter((distance) => distance > 0).toSorted((a, b) => a - b);
  return gaps[gaps.length >> 2];
}

function edges(lines: readonly PdfLine[]): PdfLine[] {
  const byHeight = lines.toSorted((a, b) => b.y - a.y);
  const apart = APART * (pitchOf(byHeight) ?? Infinity);
  const [top, second] = byHeight;
  const [above, bottom] = byHeight.slice(-2);
  const found: PdfLine[] = [];
  if (top && second && top.y - second.y > apart) found.push(top);
  if (above && bottom && bottom !== top && above.y - bottom.y > apart) found.push(bottom);
  return found;
}

/** A bare number counts pages when its distance to the page's place is always the same. */
function keyOf(text: string, page: number): string {
  const number = PAGE_NUMBER.exec(text)?.[1];
  return number === undefined ? text.toLowerCase().replace(/\d+/g, "#") : `${COUNTS}${Number(number) - page}`;
}

/** Without spreading: a page can hold more items than a call can take arguments. */
const least = (values: readonly number[]): number => values.reduce((a, b) => Math.min(a, b), Infinity);

const SPACES = /[\s\u00a0]+/g;
const INVISIBLE = /[\u200b\ufeff]/g;
const PAGE_NUMBER = /^(?:page\s+)?[-–—[(\s]*(\d{1,5})[-–—\])\s.]*(?:(?:of|\/)\s*\d{1,5})?$/i;
/** Furniture is at least this many usual distances away from the text. */
const APART = 1.3;
const COUNTS = "page number, off by ";
/** Share of the pages; a head may stand on every other page, and change with each chapter. */
const OFTEN = 0.15;
