/** @file Tables of a spreadsheet: a sentence per row with the headings; what is no table is plain text. */

import { expect, it } from "vitest";
import { readCsv } from "./csv.ts";

const read = (text: string) => readCsv(new TextEncoder().encode(text), "a.csv", {});

it.each([
  [
    "commas, with quoted cells",
    'Item,Price (EUR),Supplier\r\n"Hammer, claw",12.50,"Nowak ""Tools"""\r\nGlue,6.90,\r\n',
    'Hammer, claw: price 12.50 EUR, supplier Nowak "Tools".\nGlue: price 6.90 EUR.',
  ],
  [
    "commas, with a cell that semicolons would open",
    'Member,Remarks\n"de Wit, Ann","has the key; pays late"\nTom,late\n',
    "de Wit, Ann (member): remarks has the key; pays late.\nTom (member): remarks late.",
  ],
  [
    "semicolons between numbers with commas",
    "Name;Preis;Ort\nSäge;12,50;Haus der Geräte und Dinge\n",
    "Säge: Preis 12,50, Ort Haus der Geräte und Dinge.",
  ],
  [
    "tabs, and words alone",
    "Name\tRole\tCity\nAnna\tbaker\tRome\nBob\t\tOslo",
    "Anna: role baker, city Rome.\nBob: city Oslo.",
  ],
  ["the mark that a spreadsheet declares", "sep=|\nName|Age, in years\nAnna|31", "Anna: age, in years 31."],
  [
    "names that keep their capitals",
    "Magma,SiO2 (wt%),DNA\nBasalt,45–52,none",
    "Basalt (magma): SiO2 (wt%) 45–52, DNA none.",
  ],
  [
    "a title above, a column of numbers without a name, and empty columns behind",
    "Members 2025,,,,\n,Name,Boat,,\n0,Anna,Umi,,\n1,Tom,Nkem,,",
    "Members 2025\n0: name Anna, boat Umi.\n1: name Tom, boat Nkem.",
  ],
])("%s", async (_, text, expected) => {
  expect((await read(text)).text).toBe(expected);
});

it("a first row of numbers has no headings", async () => {
  const { text, notes } = await read("2024,Rome\n2025,Oslo");
  expect(text).toBe("2024\tRome\n2025\tOslo");
  expect(notes).toEqual([expect.stringContaining("its first row was not taken for headings")]);
  expect((await read("Anna,1987\nTom,1990")).text).toBe("Anna\t1987\nTom\t1990");
});

it("a long cell is a text below its row", async () => {
  const review = "The oven heats slowly. ".repeat(12).trim();
  const { text } = await read(`Product,Review,Stars\nOven,"${review}",2\n`);
  expect(text).toBe(`Oven (product): stars 2.\nOven, Review: ${review}`);
});

it.each([
  ["a quoted word that opens a cell", '"Hello" she said\tAnna\nBye\tTom\nYes\tAnn\n'],
  ["a quoted cell that does not end", 'Name,Size\nPipe,3/4"\nRod,"1 m\n'],
  ["sentences with commas", "First, mix it.\nThen, after an hour, fold it.\nBake.\n"],
  ["a hundred thousand columns", `${"a,".repeat(100_000)}\n${"b,".repeat(100_000)}\n`],
])("%s: plain text, with a note", async (_, text) => {
  const found = await read(text);
  expect(found.text.trim()).toBe(text.trim());
  expect(found.notes).toEqual([expect.stringContaining("was read as plain text, because")]);
});

it("a large table with lines in its cells, and rows of long texts alone", async () => {
  const row = (i: number): string => `${i},"Line one\nline two of ${i}",Tom`;
  const many = Array.from({ length: 6000 }, (_, i) => row(i + 1));
  const { text } = await read(["Id,Note,Owner", ...many].join("\n"));
  expect(text.split("\n")[5999]).toBe("6000: note Line one, line two of 6000, owner Tom.");
  const long = "A sentence of many. ".repeat(12).trim();
  expect((await read(`Stars,Review\n2,"${long}"\n3,fine\n`)).text).toBe(
    `Stars 2, Review: ${long}\nStars 3: review fine.`,
  );
});
