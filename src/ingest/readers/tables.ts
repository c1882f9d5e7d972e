/** @file Tables of a page -> a sentence per row that carries the headings: "Furniture: planned €12,000, owner Tom." */

import { attribute, elementsOf, textOf, type Element, type Node } from "./furniture.ts";

export interface TableCell {
  readonly text: string;
  readonly head: boolean;
  readonly columns: number;
  readonly rows: number;
}

/** One sentence per row of data; without known headings cells stay apart by tabs. @param keepCase as in German */
export function rowSentences(
  rows: readonly (readonly TableCell[])[],
  caption: string,
  keepCase: boolean,
): string[] {
  const grid = gridOf(rows);
  const width = Math.max(0, ...grid.map((row) => row.length));
  const heads = headRows(grid, width);
  const written = Array.from({ length: width }, (_, i) =>
    [...new Set(grid.slice(0, heads).map((row) => row[i]?.text ?? ""))].filter(Boolean).join(" "),
  );
  // "Owner: the town", not "Owner (property): value the town".
  const isPair = width === 2 && written.every((name) => PAIR.test(colonless(name)));
  const names = isPair ? ["", ""] : written;
  const lower = (name: string): string =>
    // Not "siO2", "mcKay".
    keepCase || !/^\p{Lu}\p{Ll}+(?![\p{L}\p{N}])/u.test(name) ? name : name[0]!.toLowerCase() + name.slice(1);
  let [title, group] = [caption === "" ? "" : `${caption} – `, ""];
  const below = grid.slice(heads);
  const sentences = below.flatMap((row, i) => {
    const filled = [...new Set(row)].filter(({ text }) => text !== "");
    if (filled.length === 0) return [];
    const [first, ...rest] = filled;
    const label = colonless(first!.text);
    if (rest.length === 0) {
      // "Area" above "• Total" and "• Land": these rows name it.
      group = first!.head ? label : "";
      if (group !== "" && BULLET.test(below[i + 1]?.[0]?.text ?? "")) return [];
      // The name of an infobox: what its rows are about.
      if (i === 0 && heads === 0 && first!.head && grid.slice(1).some((other) => other[0]?.head))
        title = `${first!.text} – `;
      return [first!.text];
    }
    if (heads > 0) {
      const kind = colonless(names[row.indexOf(first!)]!);
      return [ended(`${withKind(label, kind, lower)}: ${named(row, first!, names, lower)}`)];
    }
    const [item, listed] = [label.replace(BULLET, ""), BULLET.test(label)];
    return first!.head
      ? [ended(`${title}${listed && group ? `${group}, ${lower(item)}` : item}: ${texts(rest)}`)]
      : [filled.map(({ text }) => text).join("\t")];
  });
  return caption === "" ? sentences : [caption, ...sentences];
}

/** "Adult (membership)", "Year 1990": with the name of the first column, unless it is general or the cell repeats it. */
function withKind(cell: string, name: string, lower: (name: string) => string): string {
  const plain = name.toLowerCase();
  if (plain.length >= LONGEST_HEADING || !/\p{L}{2}/u.test(plain) || GENERAL.test(plain)) return cell;
  if (cell.toLowerCase().includes(plain)) return cell;
  return /^\W{0,3}\d/.test(cell) ? `${name} ${cell}` : `${cell} (${lower(name)})`;
}
const GENERAL =
  /^(?:item|name|full name|thing|title|label|key|entry|number|no|nr|id|pos(?:ition)?|row|description|what|ding|sache|artikel|bezeichnung|titel|nom|nombre|nome|naam|article|имя|название|名前|名称)\.?$/;

/** Headings of two columns that name nothing. */
const PAIR =
  /^(?:property|attribute|feature|field|parameter|item|values?|details?|data|info|information|description|eigenschaft|wert|valeur|valor)?$/i;

function named(
  row: readonly TableCell[],
  first: TableCell,
  names: readonly string[],
  lower: (name: string) => string,
) {
  return row
    .flatMap((cell, i) => {
      if (cell === first || cell.text === "" || row.indexOf(cell) !== i) return [];
      const name = lower(colonless(names[i] ?? ""));
      // "fee 310 EUR", not "fee (EUR) 310".
      const [, amount, unit] = (NUMBER.test(cell.text) && WITH_UNIT.exec(name)) || [];
      return [unit ? `${amount} ${cell.text} ${unit}` : `${name} ${cell.text}`.trim()];
    })
    .join(", ");
}

const NUMBER = /^[-−]?\d[\d.,\s]*$/;
const WITH_UNIT =
  /^([^()]*[^()\s]) \(([A-Z]{3}|[€$£¥%‰]|(?:k|m|c|d|µ)?(?:m|g|l|W|V|A|Hz|Wh|Pa|B)|(?:k|c|m)?m[²³]|t|ha|°[CF]|Kč|zł|kr|(?:seconds|minutes|hours|days|weeks|months|years|euros|pounds|dollars|metres|meters|miles|points))\)$/u;
const texts = (cells: readonly TableCell[]): string => cells.map(({ text }) => text).join(", ");
const BULLET = /^[•·▪‣–-]\s*/;
const colonless = (text: string): string => text.replace(/\s*[:：]$/, "");
export const ended = (text: string): string => (/[.!?。！？]["'”’)]*$/.test(text) ? text : `${text}.`);

function headRows(grid: readonly (readonly TableCell[])[], width: number): number {
  if (width < 2) return 0;
  const heads = grid.findIndex(
    (row) => new Set(row).size < 2 || !row.every(({ head, text }) => head || text === ""),
  );
  if (heads !== 0) return heads < 0 ? 0 : heads;
  const [top = [], ...below] = grid;
  if (
    below.length === 0 ||
    top.length < width ||
    top[0]!.head ||
    new Set(top.map(({ text }) => text)).size < width
  )
    return 0;
  const numbers = top.some((_, i) =>
    below.every((row) => row[i] === undefined || row[i].text === "" || counts(row[i].text)),
  );
  return top.every(({ text }) => isHeading(text)) && numbers ? 1 : 0;
}

const counts = (text: string): boolean => /^\W{0,3}\d/.test(text);
const isHeading = (text: string): boolean =>
  text !== "" && text.length < LONGEST_HEADING && !counts(text) && !/[.!?]$/.test(text);

function gridOf(rows: readonly (readonly TableCell[])[]): TableCell[][] {
  const grid: TableCell[][] = rows.map(() => []);
  let left = MOST_SPANNED;
  rows.forEach((row, y) => {
    let x = 0;
    for (const cell of row) {
      while (grid[y]![x] !== undefined) x += 1;
      const [columns, high] = [Math.min(cell.columns, WIDEST), Math.min(cell.rows, rows.length - y)];
      const more = columns * high - 1;
      const fits = more <= left;
      if (fits) left -= more;
      const [right, bottom] = fits ? [x + columns, y + high] : [x + 1, y + 1];
      for (let down = y; down < bottom; down += 1)
        for (let over = x; over < right; over += 1) grid[down]![over] ??= cell;
      x = right;
    }
  });
  return grid.map((row) => Array.from(row, (cell) => cell ?? EMPTY));
}

const EMPTY: TableCell = { text: "", head: false, columns: 1, rows: 1 };
const LONGEST_HEADING = 40;
export const WIDEST = 100;
/** Further places that the cells of a table fill by their spans; a cell that would fill more fills one. */
const MOST_SPANNED = 20_000;

export function tableData(
  table: Element,
  textIn: (cell: Element) => string,
): { readonly rows: TableCell[][]; readonly caption: string } | null {
  const all = elementsOf(table);
  const rows = all.filter(({ tagName }) => tagName === "tr");
  const cells = all.filter(({ tagName }) => /^t[dh]$/.test(tagName));
  const nested = all.some(({ tagName }) => tagName === "table");
  if (nested || cells.length < 2 || rows.length > MOST_ROWS || attribute(table, "role") === "presentation")
    return null;
  const headed = cells.some(({ tagName }) => tagName === "th");
  if (!headed && cells.some((cell) => textOf(cell, LONGEST_DATA + 1).length > LONGEST_DATA)) return null;
  const text = (element: Element): string =>
    textIn(element)
      .replace(/\s*\n+\s*(?=\()/g, " ")
      .replace(/\s*\n+\s*/g, ", ")
      .replace(/\t/g, " ");
  const caption = all.find(({ tagName }) => tagName === "caption");
  return {
    caption: caption === undefined ? "" : text(caption),
    rows: rows.map((row) =>
      row.childNodes.flatMap((cell) =>
        "tagName" in cell && /^t[dh]$/.test(cell.tagName)
          ? {
              text: text(cell),
              head: cell.tagName === "th",
              columns: span(cell, "colspan"),
              rows: span(cell, "rowspan"),
            }
          : [],
      ),
    ),
  };
}

const span = (cell: Element, name: "colspan" | "rowspan"): number =>
  Math.max(1, Math.floor(Number(attribute(cell, name))) || 1);

export function isGerman(node: Element): boolean {
  let root: Node = node;
  while ("parentNode" in root && root.parentNode) {
    if ("tagName" in root && attribute(root, "lang") !== "") return /^de\b/i.test(attribute(root, "lang"));
    root = root.parentNode;
  }
  const known = GERMAN.get(root);
  if (known !== undefined) return known;
  const german = writesGerman(textOf(root, 20_000));
  GERMAN.set(root, german);
  return german;
}

export function writesGerman(text: string): boolean {
  const count = (pattern: RegExp): number => text.match(pattern)?.length ?? 0;
  return count(/(?<!\p{L})(?:der|die|das|und|ist|von)(?!\p{L})/gu) > count(/\b(?:the|of|and|is|to|in)\b/g);
}

const MOST_ROWS = 5000;
export const LONGEST_DATA = 200;
const GERMAN = new WeakMap<Node, boolean>();
