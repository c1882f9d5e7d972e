/** @file The saved form of an answer from a wordless memory: without recalled sentences, and with long quotations cut. */

import type { Answer } from "../records/answer.ts";

export function withoutRecalled(answer: Answer): Answer {
  const said = answer.recalled.map(({ text }) => text);
  const short = (text: string): string => withoutQuotes(text, said);
  return {
    ...answer,
    text: short(answer.text),
    asked: answer.asked.map((part) => ({ ...part, text: short(part.text) })),
    recalled: answer.recalled.map(({ parts, ...fact }) => ({
      ...fact,
      text: "",
      tokens: [],
      ...(parts && { parts: parts.map((part) => ({ ...part, text: "", tokens: [] })) }),
    })),
  };
}

/** Cuts every run of {@link QUOTED} or more words that one of `sources` contains to its first few. */
export function withoutQuotes(text: string, sources: readonly string[]): string {
  const words = text.split(/\s+/).filter(Boolean);
  const known = sources.map((source) => ` ${source.split(/\s+/).map(plain).join(" ")} `);
  const kept: string[] = [];
  for (let at = 0; at < words.length;) {
    const run = longestRun(words.slice(at).map(plain), known);
    kept.push(...(run < QUOTED ? words.slice(at, at + 1) : [...words.slice(at, at + SHOWN), "…"]));
    at += run < QUOTED ? 1 : run;
  }
  return kept.length === words.length ? text : kept.join(" ");
}

/** Number of words from the first on that a source contains in a row. */
function longestRun(words: readonly string[], sources: readonly string[]): number {
  let run = 0;
  const stands = (count: number): boolean =>
    sources.some((source) => source.includes(` ${words.slice(0, count).join(" ")} `));
  while (run < words.length && stands(run + 1)) run += 1;
  return run;
}

const plain = (word: string): string => word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

/** Words in a row that count as a quotation, and how many of one are shown. */
const QUOTED = 6;
const SHOWN = 3;
