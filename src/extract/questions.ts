/** @file Paraphrase questions of a fact: read from the model's reply, or made by a table of sentence shapes. */

import { MONTHS } from "../lib/words.ts";
import { oneLine } from "./anchorKey.ts";
import { PRONOUNS } from "./words.ts";

/** At most `count` distinct questions of a reply to prompts.questions, without list marks, quotes and statements. */
export function parseQuestions(reply: string, count: number): string[] {
  const pieces = reply.split(/\r?\n|(?<=\?)\s+/);
  return distinct(pieces.map(cleanQuestion), count);
}

/** At most `count` questions that the value answers, by rules alone; never empty for `count` >= 1 and an anchor. */
export function ruleQuestions(value: string, anchor: string, count: number): string[] {
  const statement = oneLine(value)
    .replace(/["“”*_]/g, "")
    .replace(/[.!?…]+['’)]*$/, "");
  const shaped = SHAPES.flatMap(({ pattern, ask }) => {
    const parts = pattern.exec(statement)?.groups;
    return parts && !PRONOUNS.has((parts["S"] ?? "").toLowerCase()) ? ask(parts) : [];
  });
  const general = [
    ...predicateQuestion(statement, anchor),
    ...(DATE.test(statement) ? [`When is ${anchor} mentioned?`] : []),
    ...aboutAnchor(statement, anchor),
  ];
  return distinct([...shaped, ...general].map(cleanQuestion), count);
}

/** "Fred ordered cheese" -> "Who ordered cheese?"; only for short predicates of a capitalised subject. */
function predicateQuestion(statement: string, anchor: string): string[] {
  if (!/^\p{Lu}/u.test(anchor) || !statement.startsWith(`${anchor} `)) return [];
  const predicate = statement.slice(anchor.length + 1);
  return /^[a-z]/.test(predicate) && predicate.length <= LONGEST_PREDICATE ? [`Who ${predicate}?`] : [];
}

/** Questions about the anchor, with an article if it has one; for a word that names nothing, where it occurs. */
function aboutAnchor(statement: string, anchor: string): string[] {
  const articled = withArticle(statement, anchor);
  if (!articled && /^\p{Ll}\P{N}*$/u.test(anchor)) return [`Where does it say “${anchor}”?`];
  const subject = articled ? `the ${anchor}` : anchor;
  return [`What is known about ${subject}?`, `What is said of ${subject}?`, `Where is ${subject} mentioned?`];
}

function withArticle(statement: string, anchor: string): boolean {
  const at = statement.toLowerCase().indexOf(anchor.toLowerCase());
  return at > 0 && ARTICLE.test(statement.slice(0, at));
}

const ARTICLE = /(?:^|\P{L})(?:the|an?|his|her|its|their|my|our|your|this|that)\s+(?:\p{Ll}+\s+)?$/iu;

const cleanQuestion = (piece: string): string =>
  oneLine(piece)
    .replace(/^(?:[-*•]\s*|\(?\d{1,3}[.):]\s*|q\d*[.:]\s*)+/i, "")
    .replace(/^["'“‘]+|["'”’]+$/g, "");

function distinct(questions: readonly string[], count: number): string[] {
  const kept = new Map<string, string>();
  for (const question of questions) {
    const key = question.toLowerCase();
    if (kept.size >= count) break;
    if (/^\P{P}.*\s.*\p{L}.*\?$/su.test(question) && question.length <= LONGEST_QUESTION && !kept.has(key))
      kept.set(key, question);
  }
  return [...kept.values()].slice(0, Math.max(count, 0));
}

interface Shape {
  readonly pattern: RegExp;
  readonly ask: (parts: Record<string, string>) => string[];
}

function shape(source: string, ask: Shape["ask"]): Shape {
  const phrase = (name: string): string => `(?<${name}>[^,;:]{1,60}?)`;
  const filled = source.replace(/(?<!\?)<([A-Z])>/g, (_, name: string) => phrase(name));
  return { pattern: new RegExp(`^${filled}$`, "iu"), ask };
}

const MOVE = "moved|went|journeyed|travell?ed|walked|ran|drove|flew|sailed|came|returned|hurried";
const TAKE = "got|took|grabbed|picked up|fetched|carried|carries|holds|held";
const DROP = "dropped|put down|left|discarded|lost";
const GIVE = "gave|handed|passed|sent|lent|sold|offered";
const SIDE = "north|south|east|west|left|right";
const PLACE = "in|at|on|under|inside|near|behind|beside|above|below";

const SHAPES: readonly Shape[] = [
  shape(`<S> (?:${MOVE})(?: back)? (?:to|into) <P>`, ({ S, P }) => [
    `Where is ${S}?`,
    `Where did ${S} go?`,
    `Who went to ${P}?`,
  ]),
  shape(`<S> (?<V>${GIVE}) <O> to <R>`, ({ S, V, O, R }) => [
    `Who ${V} ${O} to ${R}?`,
    `What did ${S} give to ${R}?`,
    `Who did ${S} give ${O} to?`,
    `Who received ${O}?`,
  ]),
  shape(`<S> (?:${TAKE}) <O>(?: there)?`, ({ S, O }) => [
    `What is ${S} carrying?`,
    `Who has ${O}?`,
    `Where is ${O}?`,
  ]),
  shape(`<S> (?:${DROP}) <O>(?: there)?`, ({ S, O }) => [
    `What did ${S} drop?`,
    `Who dropped ${O}?`,
    `Where is ${O}?`,
  ]),
  shape(`<S> (?:is|lies|was|lay) (?<D>(?:to the )?(?:${SIDE})) of <P>`, ({ S, D, P }) => [
    `What is ${D} of ${P}?`,
    `What is ${small(S)} ${D} of?`,
    `Where is ${small(S)}?`,
  ]),
  shape(`<S>['’]s <P> (?:is|was|are|were) <R>`, ({ S, P, R }) => [
    `What is ${S}'s ${P}?`,
    `Whose ${P} is ${R}?`,
    `Which ${P} belongs to ${S}?`,
  ]),
  shape("(?:the|an?) <P> of <S> (?:is|was|are|were) <R>", ({ S, P }) => [
    `What is the ${P} of ${S}?`,
    `Which ${P} does ${S} have?`,
  ]),
  shape(`there (?:is|are|was|were) <O> (?<W>${PLACE}) <P>`, ({ O, W, P }) => [
    `What is ${W} ${P}?`,
    `Where is ${O}?`,
  ]),
  shape(`<S> (?:is|are|was|were)(?: located| found| kept)? (?<W>${PLACE}) <P>`, ({ S, W, P }) => [
    `Where is ${small(S)}?`,
    `What is ${W} ${P}?`,
  ]),
  shape(`<S> was (?<V>[a-z]+(?:ed|n|lt)) in \\d{3,4}`, ({ S, V }) => [`When was ${small(S)} ${V}?`]),
  shape("<S> was born (?:in|at) <P>", ({ S }) => [`Where was ${S} born?`, `Where is ${S} from?`]),
  shape("<S> (?:lives|lived) in <P>", ({ S, P }) => [`Where does ${S} live?`, `Who lives in ${P}?`]),
  shape("<S> (?:works as|is|was|became) (?<J>an? [^,;:]{1,40})", ({ S }) => [`What is ${small(S)}?`]),
  shape("<S> (?:is|are|was|were) (?<R>(?:the|an?) [^,;:]{1,60})", ({ S, R }) => [
    `What is ${small(S)}?`,
    `Who or what is ${R}?`,
  ]),
  shape("<S> (?:is|are|was|were) .+", ({ S }) => [`What is ${small(S)}?`]),
];

/** A leading article inside a question is written small: "The office" -> "the office". */
function small(phrase = ""): string {
  return phrase.replace(/^(?:The|An?|This|That|My|Your|His|Her|Its|Our|Their)\b/, (word) =>
    word.toLowerCase(),
  );
}

const DATE = new RegExp(String.raw`\b(?:1\d{3}|20\d{2})\b|\b(?:${MONTHS}) \d`, "i");
const LONGEST_PREDICATE = 90;
const LONGEST_QUESTION = 200;
