/** @file The width of text, text in lines of a width, and text that is cut to a width. */

let context: CanvasRenderingContext2D | null = null;

/** Pixels that `text` takes in a CSS font such as "400 12px sans-serif". */
export function textWidth(text: string, font: string): number {
  context ??= document.createElement("canvas").getContext("2d")!;
  context.font = font;
  return context.measureText(text).width;
}

/** The text in lines of at most `width` pixels; a longer word is a line. */
export function wrapped(text: string, width: number, font: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const longer = lines.length > 0 ? `${lines.at(-1)} ${word}` : word;
    if (lines.length > 0 && textWidth(longer, font) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** The text, or its beginning with "…", in at most `width` pixels. */
export function cut(text: string, width: number, font: string): string {
  if (textWidth(text, font) <= width) return text;
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (textWidth(`${text.slice(0, middle)}…`, font) <= width) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? "" : `${text.slice(0, low).trimEnd()}…`;
}

/** Words that a line runs behind stay readable: paper around their letters. */
export const HALO = { stroke: "var(--paper)", strokeWidth: 3, style: { paintOrder: "stroke" } } as const;

/** Fonts of the theme, for measuring: kept in step with kit/Figure.module.css. */
export const FONT = {
  label: "400 11.5px Seravek, 'Gill Sans Nova', Ubuntu, Calibri, 'Noto Sans', 'Liberation Sans', sans-serif",
  strong: "600 12px Seravek, 'Gill Sans Nova', Ubuntu, Calibri, 'Noto Sans', 'Liberation Sans', sans-serif",
  words: "400 15px 'Iowan Old Style', 'Palatino Linotype', Palatino, 'Liberation Serif', Georgia, serif",
} as const;
