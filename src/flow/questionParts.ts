/** @file The parts of a question: one, or several that are answered separately. */

import { assert } from "../lib/assert.ts";
import { MONTHS } from "../lib/words.ts";
import type { Route, RoutedAnchor } from "../records/answer.ts";

/**
 * The questions that `question` combines; a pronoun in a later one is replaced by the only name in the first, and "it" by the thing of the one
 * before.
 */
export function questionParts(question: string): readonly string[] {
  const whole = question.replace(/\s+/g, " ").trim();
  const double = DOUBLE.exec(whole);
  if (double) return [double[1]!, double[2]!].map((word) => asQuestion(`${word} ${double[3]!}`));
  const short = SHORT_SECOND.exec(whole)?.groups;
  if (short) {
    const { begun = "", degree = "", asked = "", second = "" } = short;
    // "How long is the hall and why?" asks why it is long; "How much is it and when?" does not ask when it is much.
    const why = /^(?:much|many)?$/i.test(degree.trim()) ? "" : ` ${degree.trim()}`;
    return [`${begun} ${degree}${asked}`, `${second} ${asked}${why}`].map(asQuestion);
  }
  const parts = whole.split(BETWEEN);
  const asks = (part: string): boolean => part.split(" ").length > 1 && ASKS.test(part);
  if (parts.length < 2 || !parts.every(asks)) return [question.trim()];
  assert(
    parts.length <= MOST_PARTS,
    () =>
      `flow: these are ${parts.length} questions; ask at most ${MOST_PARTS} at a time, or put them into a question set`,
  );
  const name = nameIn(parts[0]!);
  const filled = (part: string, before: string): string => {
    const who = name === null ? part : named(part, name);
    const thing = thingIn(before);
    return thing === null ? who : withThing(who, thing);
  };
  return parts.map((part, i) => asQuestion(i === 0 ? part : filled(part, parts[i - 1]!)));
}

/** Each is answered apart, which takes seconds. */
const MOST_PARTS = 8;

/** Also as people type them: "whats", "who's". */
const WORDS = "(?:who|whom|whose|what|when|where|which|why|how)(?:['’]?(?:s|re|d))?";
const DOUBLE = new RegExp(`^(${WORDS}) and (${WORDS}) ((?:(?!,? and (?:${WORDS})\\b).)+)$`, "i");
/** "When was the last rope made, and for whom?" asks of the same twice. "Who came and when?" does not say how the second would begin. */
const SHORT_SECOND = new RegExp(
  `^(?<begun>${WORDS}) (?<degree>(?<=^how )\\p{L}+ )?(?<asked>(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should) ` +
    `(?:(?! and (?:${WORDS})\\b).)+?),? and (?<second>(?:(?:for|with|by|from|to|at|in|on) )?${WORDS})\\?*$`,
  "iu",
);
const BETWEEN = new RegExp(`(?<=\\?) |[,;]? and (?=(?:${WORDS})\\b)`, "i");
const ASKS = new RegExp(`\\b(?:${WORDS}|is|are|was|were|does|do|did|has|have|can)\\b`, "i");

const bareOf = (part: string): string => part.trim().replace(/[\s?,;.]+$/, "");

function asQuestion(part: string): string {
  const bare = bareOf(part);
  return `${bare.charAt(0).toUpperCase()}${bare.slice(1)}?`;
}

/** The one name after the first word that may be somebody: not "I", a day or a month, nor the place, time or owner of another thing. */
function nameIn(part: string): string | null {
  const [name = null, ...others] = new Set(part.match(NAME));
  return others.length > 0 ? null : name;
}
const NAME = new RegExp(
  String.raw`(?<=\s)(?<!\b(?:in|on|at|to|from|of|by|for|with) )(?!(?:I|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|${MONTHS})\b)` +
    String.raw`\p{Lu}[\p{L}\p{N}-]*(?: \p{Lu}[\p{L}\p{N}-]*)*(?!['’\p{L}\p{N}])`,
  "gu",
);

/**
 * The phrase that ends a question, without the verb behind it: "the soup" of "Who spilled the soup?", "the committee" of "Where did the
 * committee meet?"; "the deposit" of "How much deposit did we pay?"; null if that is not clear.
 */
function thingIn(part: string): string | null {
  const [whole, before = "", phrase = ""] = THING.exec(bareOf(part)) ?? [];
  const asked = whole === undefined ? ASKED_OF.exec(part)?.[1] : undefined;
  if (asked !== undefined) return `the ${asked}`;
  const words = phrase.split(" ");
  if (PARTICIPLE.test(words.at(-1)!)) words.pop();
  else if (ASKS_WHAT_IS_DONE.test(before)) return null;
  else if (VERB_LAST.test(before)) {
    if (words.length !== 3) return null;
    words.pop();
  } else if (IS.test(before) && words.length !== 2 && !(WHERE_IS.test(before) && !STATE.test(words.at(-1)!)))
    return null;
  return words.length < 2 || words.length > LONGEST_THING ? null : words.join(" ");
}
const THING =
  /^((?:(?!\b(?:the|our|my|your|this)\b).)*)\b((?:the|our|my|your|this)(?: (?!(?:the|our|my|your|this)\b)\S+)+)$/i;
const AUXILIARY = "is|are|was|were|do|does|did|has|have|had|can|will|would|should";
const ASKED_WORD = String.raw`(?!(?:time|day|date|month|year|kind|sort|colou?r|of|${AUXILIARY})\b)\p{L}+`;
/** "How much deposit did we pay", "Which hall do they use". */
const ASKED_OF = new RegExp(
  `^(?:how much|which|what) (${ASKED_WORD}(?: ${ASKED_WORD})?) (?:${AUXILIARY}) `,
  "iu",
);
const VERB_LAST = /\b(?:do|does|did|will|can|should)\b/i;
const ASKS_WHAT_IS_DONE = /^what (?:do|does|did|will|can|should)\b/i;
const IS = /\b(?:is|are|was|were|be|been)\b/i;
/** "When is the spring fair" asks of a thing, "When is the office open" of its state. */
const WHERE_IS = /^(?:when|where|who|what)(?:['’]?s| is| are| was| were) $/i;
const STATE =
  /^(?:open|closed|shut|due|over|ready|free|full|late|early|back|there|here|today|tomorrow|now)$/i;
const PARTICIPLE =
  /^(?:\p{L}+ed|built|made|held|found|sold|bought|kept|paid|told|done|lost|won|written|taken|given|born)$/u;
const LONGEST_THING = 4;

const named = (part: string, name: string): string =>
  part
    .replace(/\b(?:his|their|her(?= \p{L}))\b/iu, `${name}'s`)
    .replace(/\b(?:he|she|they|him|them|her)\b/i, name);

/** A thing is only what "it" and "its" stand for, and "What time is it?" asks of none. */
const withThing = (part: string, thing: string): string =>
  OF_NONE.test(part) ? part : part.replace(/\bits\b/i, () => `${thing}'s`).replace(/\bit\b/i, () => thing);
const OF_NONE = /^what (?:time|day|date|month|year) (?:is|was) it\b/i;

/** The routes of the parts as one: every anchor at its best, and the facts of the parts in turn, at most `maxFacts`. */
export function mergedRoute(question: string, all: readonly Route[], maxFacts: number): Route {
  const near = all.filter(({ far }) => !far);
  const routes = near.length > 0 ? near : all;
  const [only] = routes;
  if (routes.length === 1 && only) return listed({ ...only, question });
  const best = new Map<string, RoutedAnchor>();
  for (const routed of routes.flatMap(({ anchors }) => anchors)) {
    const known = best.get(routed.anchor);
    if (!known || (routed.kept === known.kept ? routed.fused > known.fused : routed.kept))
      best.set(routed.anchor, routed);
  }
  const longest = Math.max(...routes.map(({ facts }) => facts.length));
  const inTurn = Array.from({ length: longest }, (_, i) => routes.flatMap(({ facts }) => facts[i] ?? []));
  const ranked = new Map(routes.flatMap((route) => route.facts.map((id, i) => [id, route.ranked?.[i]])));
  const facts = [...new Set(inTurn.flat())].slice(0, maxFacts);
  return listed({
    question,
    ...(routes.every((route) => route.ranked) && { ranked: facts.map((id) => ranked.get(id)!) }),
    anchors: [...best.values()].sort((a, b) => Number(b.kept) - Number(a.kept) || b.fused - a.fused),
    facts,
    ...(near.length === 0 && { far: true }),
  });
}

/** Cut anchors that are listed. A memory of a million words has thousands, and an answer is saved. */
export const CUT_LISTED = 50;

function listed(route: Route): Route {
  const cut = route.anchors.filter(({ kept }) => !kept).slice(CUT_LISTED);
  if (cut.length === 0) return route;
  const left = new Set(cut);
  return { ...route, anchors: route.anchors.filter((anchor) => !left.has(anchor)), more: cut.length };
}
