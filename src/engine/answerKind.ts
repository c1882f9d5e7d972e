/** @file Kinds of answers by the question word: "where" is not answered by a weekday, nor "how deep" without an amount. */

const NUMBER =
  /\p{N}|\b(?:no|none|nobody|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\p{L}+teen|\p{L}+ty|half|quarter|dozen|hundred|thousand|million|once|twice|several|few|many|both|all|every|little|lots?|single|pair|first|second|third|\p{L}+th)\b/iu;
/** Names of times, alone or with other words. */
const TIMES =
  "(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august|september|october|november|" +
  "december|spring|summer|autumn|winter|morning|noon|afternoon|evening|midnight|today|yesterday|tomorrow";
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

const MONEY =
  /\p{Sc}|\b(?:euros?|dollars?|pounds?|pence|penny|pennies|cents?|shillings?|crowns?|francs?|coins?|pieces?|gold|silver|free|nothing)\b/iu;
/** Not "84 kilometres of road and not one light", which has a number as well. */
const isPrice = (words: string): boolean =>
  MONEY.test(words) || (isAmount(words) && words.split(/\s+/).length <= PRICE_WORDS);
const PRICE_WORDS = 3;
const isLongNumber = (words: string): boolean => (words.match(/\p{N}/gu) ?? []).length > 4;

/** Questions, and whether words can be the answer; the first that a question matches decides. */
const KINDS: readonly (readonly [asks: RegExp, fits: (words: string) => boolean])[] = [
  [/phone number\b/i, isLongNumber],
  [/\b(?:what|how much)\b.*\b(?:price|fare|fee|rent|costs?)\b/i, isPrice],
  [/\bhow many\b/i, (words) => NUMBER.test(words) && !CURRENCY.test(words)],
  [/\bhow (?:much|old|far|long|tall|high|deep|wide|heavy|often|late|early)\b/i, isAmount],
  [
    /^(?:(?:since|until|by) )?when\b|\b(?:what|which) (?:year|month|days?|date|time)\b/i,
    (words) => isAmount(words) && !MEASURED.test(words),
  ],
  [/\b(?:who|whom|whose|where|why)\b/i, (words) => !isTime(words)],
];

/** Whether `words` can answer `question`, by its question word; true for any other question, as in other languages. */
export const isOfKind = (words: string, question: string): boolean =>
  KINDS.find(([asks]) => asks.test(question))?.[1](words) ?? true;
