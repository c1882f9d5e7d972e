/** @file What a sentence holds and what a question asks for, as flags: the part of ranking that needs no words of a memory. */

import { askingWho, MESSAGE_LABEL, TIMES } from "../lib/words.ts";

/** Stored as bits in this order: a new one goes to the end. */
const CUES = ["name", "number", "place", "cause", "feeling", "speech", "pronoun", "heading", "time"] as const;
export type Cue = (typeof CUES)[number];

const SENTENCE: Readonly<Record<Cue, RegExp>> = {
  name: /(?<=[\p{L},;] )\p{Lu}\p{L}/u,
  number:
    /\p{N}|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\p{L}+teen|\p{L}+(?:teenth|tieth)|dozen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|half|twice|once|several|many|few)\b/iu,
  place:
    /\b(?:in|at|on|to|into|under|by|near|upon|from|beside|behind|inside|outside|towards?|through|across|over)\b/i,
  cause: /\b(?:because|so that|for|since|in order|therefore|as|so|that|lest)\b/i,
  feeling:
    /\b(?:glad|sad|angr|happy|happi|unhapp|afraid|frighten|scared|sorry|sorrow|pleased|delight|terrif|cross|joy|grie|astonish|surpris|amaz|wept|weep|cried|tears|lonely|fear|asham|proud|jealous|furious|rage|despair|anxious|worr|upset|excited|disappoint|hate|love)/i,
  speech: /["“”«»]|(?:^|\s)['‘]|\b(?:said|says|cried|asked|answered|replied|told|called|shouted)\b/i,
  heading: /^[\p{Lu}\p{N}][^:;]{0,60}[^:;.,!?…"“”)\]]$/u,
  pronoun: /^["“'‘]?(?:he|she|they|it|his|her|their|its|this|these|those|that)\b/i,
  time: new RegExp(
    String.raw`\b(?:${TIMES}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|o['’]clock|(?:year|month|week|day|hour|minute|night)s?|` +
      String.raw`(?:quarter|half) (?:to|past)|\d{1,2}(?:st|nd|rd|th)|\d{1,2}[:.]\d\d|\d{1,2} ?[ap]\.?m|(?:1[5-9]|20)\d\d)\b`,
    "i",
  ),
};

export function cuesOf(given: string): number {
  const sentence = given.replace(MESSAGE_LABEL, "");
  return CUES.reduce((bits, cue, i) => (SENTENCE[cue].test(sentence) ? bits | (1 << i) : bits), 0);
}

export const hasCue = (bits: number, cue: Cue): boolean => (bits & (1 << CUES.indexOf(cue))) !== 0;

export const ASKS = ["who", "where", "howMany", "why", "feel", "said", "next", "when"] as const;
export type Ask = (typeof ASKS)[number];

const QUESTION: Readonly<Record<Ask, RegExp>> = {
  who: /\b(?:who|whom|whose)\b/i,
  where: /\bwhere\b|\bwhich (?:place|room|town|city|country|street)\b/i,
  howMany: /\bhow (?:many|much|old|far|long|tall|high)\b|\bwhat (?:price|number)\b|\bcosts?\b/i,
  why: /\bwhy\b|\bwhat (?:caused|made)\b|\bfor what reason\b/i,
  feel: /\bhow (?:did|does|do|was|were|is|are|would|will)\b.*\b(?:feel|felt)\b|\bfeelings?\b/i,
  said: /\b(?:say|said|tell|told|ask|asked|reply|answer|shout|call|promise)\b/i,
  next: /\bwhat happen(?:ed|s)\b|\bafter\b|\bthen\b|\bnext\b/i,
  when: /^(?:\p{L}+ )?when\b|\bwhen(?:['’]s| is| are| was| were| did| do| does| will| can| should)\b|\b(?:what|which) (?:year|month|week|days?|date|time)\b|\bdeadline\b/iu,
};

/** "How much is the double room?", "What does the oven cost?"; not "How much does it weigh?" or "How much is left?". */
const PRICE =
  /^how much (?:is|are|was|were) (?!(?:left|known|\p{L}{2,}ed)\b)([^?]+)\?*$|^(?:how much|what) (?:does|do|did) ([^?]+) cost\?*$/iu;
export const asksPrice = (question: string): boolean => PRICE.test(question.trim());

/** A question for a price in the words of a column "price", by which the reader finds the cell of a table row. */
export const askingPrice = (question: string): string =>
  question.trim().replace(PRICE, "What is the price of $1$2?");

export const asksOf = (question: string): ReadonlySet<Ask> =>
  new Set(ASKS.filter((ask) => QUESTION[ask].test(askingWho(question))));
