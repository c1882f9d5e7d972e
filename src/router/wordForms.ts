/** @file Other forms of a question's words: short ones in notes and tables, and the one who does what a verb names. */

import { contentTerms } from "../lib/terms.ts";

export const stemTerm = (word: string): string => contentTerms(word.toLowerCase())[1] ?? word;

const SHORT = {
  ...{ phone: "tel", telephone: "tel", street: "st", road: "rd", avenue: "ave", doctor: "dr", hours: "hrs" },
  ...{ department: "dept", maximum: "max", minimum: "min", temperature: "temp", quantity: "qty" },
};
const shortForms: ReadonlyMap<string, string> = new Map(
  Object.entries(SHORT).map(([word, short]) => [stemTerm(word), short]),
);

/** "maker" for "makes", "editor" for "edits", "runner" for "runs", "buyer" for "buys". */
function doers(word: string): string[] {
  const stem = stemTerm(word).replace("~", "");
  const doubled = stem.replace(/(?<=[^aeiou][aeiou])[bdgklmnprt]$/, "$&$&");
  const stems = [stem.replace(/e?$/, ""), doubled, stem.replace(/i$/, "y")];
  return [...new Set(stems.flatMap((one) => [`${one}er`, `${one}or`]))];
}

/** "freeze" for "freezer", "run" for "runner", "edit" for "editors". */
function deeds(word: string): string[] {
  const [, base] = /^(\p{L}{3,})[eo]rs?$/u.exec(word) ?? [];
  return base ? [base, `${base}e`, base.replace(/([bdgklmnprt])\1$/, "$1")] : [];
}

export function otherForms(word: string): string[] {
  const short = shortForms.get(stemTerm(word));
  return [...(short ? [short] : []), ...doers(word), ...deeds(word)];
}

const WHO_DOES =
  /^who (?:(?:has|have|had|will|would|can) )?(\p{L}+) (?!(?:up|off|out|down|away|as)\b)((?:in|at|on|for|to|with|from|of|by) )?([^?]+)\?*$/iu;

const WORD = /(?<![\p{L}\p{N}])\p{L}+/gu;
const LABEL = /^[^:]{0,40}:/u;
const COLUMN = /(?<=[:,] )\p{Ll}+(?= )/gu;

/** Words of the labels and columns of notes and table rows: "Tel: 01632", "Kettle Orla (product): maker Brandt, price £48." */
const labelsOf = (text: string): string[] => [
  ...(LABEL.exec(text)?.[0].toLowerCase().match(WORD) ?? []),
  ...(text.match(COLUMN) ?? []),
];

/**
 * A question in the words of the labels that `texts` have, for a reader that knows words by their form: "phone" becomes "tel", and
 * "Who makes the kettle?" becomes "Who is the maker of the kettle?". A word that the texts have stays.
 */
export function inFormsOf(question: string, texts: readonly string[]): string {
  const labels = new Set(texts.flatMap(labelsOf));
  const stems = new Set(texts.flatMap((text) => text.match(WORD) ?? []).map(stemTerm));
  const other = (word: string, forms: readonly string[]): string | undefined =>
    stems.has(stemTerm(word)) ? undefined : forms.find((form) => labels.has(form));
  const [, verb = "", preposition = "of ", rest = ""] = WHO_DOES.exec(question.trim()) ?? [];
  const doer = verb && other(verb, doers(verb));
  const asked = doer ? `Who is the ${doer} ${preposition}${rest.trim()}?` : question;
  return asked.replace(WORD, (word) => other(word, [shortForms.get(stemTerm(word)) ?? ""]) ?? word);
}
