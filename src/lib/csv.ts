export const quotedCell = (text: string): string =>
  text === "" || /[",\r\n]|^[\s#]|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** Guards text that a spreadsheet would read as a formula with an apostrophe, which is removed on reading. */
export const guardedText = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);
/** Full-width signs count too in East Asian spreadsheets. */
const FORMULA = /^[=+\-@\t\r\n'\uff1d\uff0b\uff0d\uff20]/;

export function csvTable(
  names: readonly string[],
  rows: readonly (readonly (string | number | boolean | null)[])[],
): string {
  const field = (value: string | number | boolean | null): string =>
    typeof value === "string" ? quotedCell(guardedText(value)) : value === null ? "" : String(value);
  return [names, ...rows].map((row) => `${row.map(field).join(",")}\r\n`).join("");
}
