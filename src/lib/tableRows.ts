import Papa from "papaparse";
import { assert } from "./assert.ts";

/** Cells of each row that is not blank. Blanks around a quoted cell are ignored. @throws if a quote does not end, or, if strict, ends within a cell */
export function tableRows(
  text: string,
  delimiter: string,
  quotes: "lenient" | "strict" = "lenient",
): string[][] {
  const { data, errors } = Papa.parse(
    text.replace(QUOTED_OR_BLANKS, (all, quoted) => (quoted ? all : "")),
    {
      delimiter,
      skipEmptyLines: "greedy",
    },
  );
  const wrong = quotes === "strict" ? ["MissingQuotes", "InvalidQuotes"] : ["MissingQuotes"];
  assert(!errors.some(({ code }) => wrong.includes(code)), () => "csv: a quoted cell does not end");
  return data;
}

/** A quoted cell, which is left as it is, or the blanks between a delimiter and the quote behind it. */
const QUOTED_OR_BLANKS = /("(?:[^"]|"")*")|(?<=[,;|\n]|^)[ \t]+(?=")|(?<=\t) +(?=")/g;
