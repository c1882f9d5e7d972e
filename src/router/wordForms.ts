/** @file Other forms of a question's words: short ones in notes and tables, and the one who does what a verb names. */

import { contentTerms } from "../lib/terms.ts";

export const stemTerm = (word: string): string => contentTerms(word)[1] ?? word;

const SHORT = {
  ...{ phone: "tel", telephone: "tel", street: "st", road: "rd", avenue: "ave", doctor: "dr", hours: "hrs" },
  ...{ department: "dept", maximum: "max", minimum: "min", temperature: "temp", quantity: "qty" },
};
const shortForms: ReadonlyMap<string, string> = new Map(
  Object.entries(SHORT).map(([word, short]) => [stemTerm(word), short]),
);

/** "maker" for "makes", "editor" for "edits", "runner" for "runs". */
function doers(word: string): string[] {
  const stem = stemTerm(word).replace("~", "");
  const doubled = stem.replace(/(?<=[^aeiou][aeiou])[bdgklmnprt]$/, "$&$&");
  return [...new Set(["er", "or"].flatMap((end) => [stem.replace(/e?$/, end), doubled + end]))];
}

export function otherForms(word: string): string[] {
  const short = shortForms.get(stemTerm(word));
  return [...(short ? [short] : []), ...doers(word)];
}

const WHO_DOES = /^who (?:\p{L}+ )??(\p{L}+) ((?:in|at|on|for|to|with|from|of|by)\b)?([^?]+)\?*$/iu;

/**
 * A question in the forms that `texts` have and it has not, for a reader that knows words by their form: "phone" becomes "tel", and
 * "Who makes the kettle?" becomes "Who is the maker of the kettle?".
 */
export function inFormsOf(question: string, texts: readonly string[]): string {
  const said = new Set(texts.flatMap((text) => text.toLowerCase().match(/\p{L}+/gu) ?? []));
  const stems = new Set([...said].map(stemTerm));
  const only = (word: string, forms: readonly string[]): string | undefined =>
    stems.has(stemTerm(word)) ? undefined : forms.find((form) => said.has(form));
  const [, verb = "", preposition = "of", rest = ""] = WHO_DOES.exec(question.trim()) ?? [];
  const doer = verb && only(verb, doers(verb));
  const asked = doer ? `Who is the ${doer} ${preposition} ${rest.trim()}?` : question;
  return asked.replace(/\p{L}+/gu, (word) => only(word, [shortForms.get(stemTerm(word)) ?? ""]) ?? word);
}
