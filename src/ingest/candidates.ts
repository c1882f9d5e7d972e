/**
 * @file Sentence[] -> Candidate[]: the high-recall filter in one pass, by rules alone.
 *
 * compromise was measured and left out: tagging takes about 1 s for 110,000 characters on the development
 * machine (the rules: about 0.1 s for a million), and out of context it tags "Bill took the milk." and "Zoltan
 * went home." as plain nouns, the very sentences that rules could not settle either.
 */

import type { MethodParams } from "../records/params.ts";
import type { Candidate, CandidateReason, Sentence } from "../records/source.ts";
import { isHeading } from "./headings.ts";
import { ADDRESS, FINITE, NOT_A_NAME, NUMBER_WORDS } from "./words.ts";

/** Yields the sentences that carry a factual signal, each with the reasons. */
export function* candidates(
  sentences: Iterable<Sentence>,
  filter: MethodParams["candidateFilter"],
): Generator<Candidate> {
  for (const sentence of sentences) {
    const reasons = candidateReasons(sentence.text, filter);
    if (reasons.length > 0) yield { sentence, reasons };
  }
}

/**
 * Why a sentence is a candidate; empty when it is none. "strict" is the paper's filter (entity, numeral,
 * identifier-like token); "wide" adds relations without names ("The office is north of the kitchen."), and leaves out
 * headings, page furniture and sentences of one word; "all" takes whatever has a letter or a digit.
 */
export function candidateReasons(text: string, filter: MethodParams["candidateFilter"]): CandidateReason[] {
  if (filter === "wide" && (isHeading(text) || !TWO_WORDS.test(text))) return [];
  const reasons: CandidateReason[] = [];
  if (hasEntity(text)) reasons.push("entity");
  if (hasNumeral(text)) reasons.push("numeral");
  if (IDENTIFIER.test(text)) reasons.push("identifier");
  if (filter !== "strict" && RELATION.test(text)) reasons.push("relation");
  if (filter === "all" && reasons.length === 0 && /[\p{L}\p{N}]/u.test(text)) reasons.push("other");
  return reasons;
}

/** A capitalised word that its place does not explain, or a word at a start that behaves like a name. */
function hasEntity(text: string): boolean {
  for (const { 0: word, index } of text.matchAll(CAPITALISED)) {
    const plain = word.toLowerCase().replace(/['’]\p{L}*$/u, "");
    if (NOT_A_NAME.has(plain) || ADDRESS.has(plain)) continue;
    const after = text.slice(index + word.length, index + word.length + LOOKAHEAD);
    if (!opensSentence(text, index) || namedByContext(word, after)) return true;
  }
  return false;
}

/** Whether the capital at `index` is due to a sentence or quotation that starts there. */
function opensSentence(text: string, index: number): boolean {
  return (
    OPENING.test(text.slice(Math.max(0, index - LOOKBEHIND), index)) ||
    !/[\p{L}\p{N}]/u.test(text.slice(0, index))
  );
}

/** "Mary's book", "Mary moved", "Mary never said", "Mary and", but not "Books", "Running was", "Happily". */
function namedByContext(word: string, after: string): boolean {
  if (/['’]s$/.test(word)) return true;
  if (COMMON_SUFFIX.test(word)) return false;
  const next = NEXT_VERB.exec(after)?.[1];
  if (next === undefined) return false;
  return FINITE.has(next) || /[a-z]ed$/.test(next) || (/[a-z]{2}s$/.test(next) && !NOT_A_NAME.has(next));
}

function hasNumeral(text: string): boolean {
  if (/\p{N}/u.test(text)) return true;
  for (const { 0: word } of text.matchAll(WORDS)) if (NUMBER_WORDS.has(word.toLowerCase())) return true;
  return false;
}

const TWO_WORDS = /[\p{L}\p{N}].*\s.*[\p{L}\p{N}]/su;
const WORDS = /\p{L}+/gu;
const CAPITALISED = /(?<![\p{L}\p{N}]['’]?)\p{Lu}[\p{L}\p{M}]*(?:['’]\p{L}+)*/gu;
/** What stands before a capital at a start. A lone dot is no start: inside a sentence it ends an abbreviation. */
const OPENING = /(?:(?:[!?:…]|\.\.)["'”’)*_]*\s+["'“‘(*_]*|(?:^|[\s—(-])["'“‘]+[(*_]*)$/u;
const NEXT_VERB =
  /^\s+(?:(?:also|always|never|ever|still|then|now|here|just|soon|once|often|only|[a-z]+ly)\s+)?([a-z]+)/;
/** Endings of common nouns and gerunds that happen to start a sentence. Not "ly": no adverb stands before its verb. */
const COMMON_SUFFIX = /(?:ing|ness|ment|tion|sion|ity|ance|ence|ful|less|ous)$/;
const LOOKAHEAD = 40;
const LOOKBEHIND = 12;

/** AB-123, BA117, user_name, camelCase, a@b.c, https://…, www.…, path/to/file.ts, v1.2.3, 0xff. */
const IDENTIFIER = new RegExp(
  [
    String.raw`\bhttps?:\/\/\S|\bwww\.\S|\S@\S+\.\p{L}{2}`,
    String.raw`(?<![\p{L}\p{N}])(?=[\p{L}\p{N}-]*\p{N})(?=[\p{L}\p{N}-]*\p{L})(?!\p{N}+(?:st|nd|rd|th|s|d)\b)[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*`,
    String.raw`\p{L}_\p{L}\S*_?\p{L}(?=[\s.,;:)]|$)(?<!_)`,
    String.raw`(?<!\p{L})(?!Mc|Mac|O['’])\p{Ll}+\p{Lu}\p{Ll}`,
    String.raw`\b\p{Lu}{2,}-\p{Lu}{2,}\b`,
    String.raw`\b\w+\.(?:ts|js|py|c|h|json|txt|csv|pdf|html?|com|org|net)\b`,
  ].join("|"),
  "u",
);

const DETERMINER = "the|an?|this|that|these|those|my|your|his|her|its|our|their|each|every|no|some|all";
const STATE =
  "is|are|was|were|lies|lay|stands|stood|sits|sat|hangs|hung|contains?|contained|holds?|held|has|have|had|" +
  "belongs?|belonged|leads?|led|opens?|opened|faces?|faced|costs?|weighs?|weighed|measures?|measured|remains?|" +
  "remained|becomes?|became|consists?|consisted|means?|meant|includes?|included|works?|worked|lives?|lived|" +
  "keeps?|kept|ends?|ended|begins?|began|starts?|started|closes?|closed|moved|went|came|fell|died";
/** A noun phrase with its state ("The milk is in the box."), or "there is a …". */
const RELATION = new RegExp(
  String.raw`\b(?:${DETERMINER})\s+(?:[\p{L}\p{N}'’-]+\s+){1,4}?(?:(?:also|always|never|still|now)\s+)?(?:${STATE})\b` +
    String.raw`|\bthere\s+(?:is|are|was|were)\b`,
  "iu",
);
