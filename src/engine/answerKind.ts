/** @file Kinds of answers by the question word: "where" is not answered by a weekday, nor "how deep" without an amount. */

import { TIMES } from "../lib/words.ts";

const NUMBER =
  /\p{N}|\b(?:no|none|nobody|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\p{L}+teen|\p{L}+ty|half|quarter|dozen|hundred|thousand|million|once|twice|several|few|many|both|all|every|little|lots?|single|pair|first|second|third|\p{L}+th)\b/iu;
const TIME = new RegExp(
  `\\b(?:${TIMES}|night|dawn|dusk|now|years?|months?|weeks?|days?|hours?|minutes?|moment|time|century|age|christmas|easter|birthday|` +
    `ago|before|after|when|while|as|until|till|during|since|once|upon|on|in|at|by)\\b`,
  "i",
);
/** Words that only tell a time, and those that stand with them. */
const TIME_WORD = new RegExp(
  `^(?:${TIMES}|year|month|week|this|last|next|early|late|at|in|on|the|\\p{N}+(?:st|nd|rd|th|am|pm)?|[\\p{N}:.,]+)$`,
  "iu",
);
const CURRENCY = /\p{Sc}/u;
const MEASURED = /[%\p{Sc}]/u;

/** Names of people as well as of times. */
const PERSON = /^(?:April|May|June|August|Summer|Autumn)$/;

const isTime = (words: string): boolean =>
  !PERSON.test(words) &&
  (words.match(/[\p{L}\p{N}][\p{L}\p{N}:.,]*/gu) ?? []).every((word) => TIME_WORD.test(word));
const isAmount = (words: string): boolean => NUMBER.test(words) || TIME.test(words);

/** Not "What is included in the price?" nor "What did the rent collector say?". */
const PRICE_ASKED =
  /\b(?:what|how much) (?:(?:is|are|was|were) (?:the|an?|my|your|his|her|its|our|their) (?:[\p{L}\p{N}'’-]+ ){0,3}(?:price|fare|fee|rent|cost)s?\b|(?:does|do|did) [^?]{1,99} cost\W*$)/iu;
const MONEY =
  /\p{Sc}|\b(?:euros?|dollars?|pounds?|pence|penny|pennies|cents?|shillings?|crowns?|francs?|coins?|pieces?|gold|silver|eur|usd|gbp|chf|free|nothing)\b/iu;
/** Not "84 kilometres of road and not one light", which has a number as well. */
const isPrice = (words: string): boolean =>
  MONEY.test(words) || (isAmount(words) && words.split(/\s+/).length <= PRICE_WORDS);
const PRICE_WORDS = 3;
const isLongNumber = (words: string): boolean => (words.match(/\p{N}/gu) ?? []).length > 4;

/** Questions, and whether words can be the answer; the first that a question matches decides. */
const KINDS: readonly (readonly [asks: RegExp, fits: (words: string) => boolean])[] = [
  [/^(?!who).*phone number\b/i, isLongNumber],
  [PRICE_ASKED, isPrice],
  [/\bhow many\b/i, (words) => NUMBER.test(words) && !CURRENCY.test(words)],
  [
    /\bhow (?:much|old|far|long|tall|high|deep|wide|heavy|often|late|early)\b/i,
    (words) => isAmount(words) || MONEY.test(words),
  ],
  [
    /^(?:(?:since|until|by) )?when\b|\b(?:what|which) (?:year|month|days?|date|time)\b/i,
    (words) => isAmount(words) && !MEASURED.test(words),
  ],
  [/\b(?:who|whom|whose|where|why)\b/i, (words) => !isTime(words)],
];

/** Whether `words` can answer `question`, by its question word; true for any other question, as in other languages. */
export const isOfKind = (words: string, question: string): boolean =>
  KINDS.find(([asks]) => asks.test(question))?.[1](words) ?? true;
