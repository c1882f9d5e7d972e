/** @file Three questions to begin with: each is about another stretch of the text, and its sentence is ranked first. */

import { frequentNames, namesOf, questionsAboutThings, suggestedQuestions } from "../extract/suggestions.ts";
import { documentOf, offsetOf, type FactId } from "../records/ids.ts";
import { routeQuestion, type OpenMemory } from "./answer.ts";

interface Candidate {
  readonly question: string;
  readonly id: FactId;
  readonly sentence: string;
}

/**
 * At most {@link COUNT} questions in source order, made by rule from sentences `said`, each ranked first by the router and sure to the reader; if they
 * are too few, about names, and then about things.
 */
export async function suggest(open: OpenMemory, said: ReadonlyMap<FactId, string>): Promise<string[]> {
  const facts = [...said].filter(([id]) => open.facts.has(id)).toSorted(([a], [b]) => inSource(a, b));
  const names = namesOf(facts.map(([, sentence]) => sentence));
  const made = facts.map(([, sentence]) => suggestedQuestions(sentence, names));
  const chosen: { readonly at: number; readonly question: string }[] = [];
  const isTaken = (at: number) => chosen.some((one) => one.at === at);
  const bounds = (stretch: number): [from: number, to: number] => [
    Math.round((stretch * facts.length) / COUNT),
    Math.round(((stretch + 1) * facts.length) / COUNT),
  ];
  const choose = async (
    [from, to]: readonly [number, number],
    questionsOf: (at: number) => readonly string[],
  ) => {
    const places = facts.slice(from, to).flatMap(([id, sentence], i) => {
      const at = from + i;
      return isTaken(at) ? [] : questionsOf(at).map((question) => ({ question, id, sentence, at }));
    });
    const found = await firstRanked(open, places, chosen);
    if (found) chosen.push(found);
  };
  // First one of each stretch; then from elsewhere in the text.
  for (let stretch = 0; stretch < 2 * COUNT && chosen.length < COUNT; stretch++)
    await choose(stretch < COUNT ? bounds(stretch) : [0, facts.length], (at) => made[at]!);
  for (const name of frequentNames(said.values(), names)) {
    if (chosen.length >= COUNT) break;
    // The name is its only word that is searched for.
    const question = `What is there about ${name}?`;
    const [first] = (await routeQuestion(open, question)).facts;
    const at = facts.findIndex(([id, sentence]) => id === first && sentence.includes(name));
    if (at >= 0 && !isTaken(at)) chosen.push({ at, question });
  }
  for (let stretch = 0; stretch < COUNT && chosen.length < COUNT; stretch++) {
    const [from, to] = bounds(stretch);
    if (!chosen.some(({ at }) => at >= from && at < to))
      await choose([from, to], (at) => questionsAboutThings(facts[at]![1]));
  }
  return chosen.toSorted((a, b) => a.at - b.at).map(({ question }) => question);
}

/** The best of `candidates` whose sentence the router ranks first; null without one. At most {@link MOST_TRIES} are tried. */
async function firstRanked<C extends Candidate>(
  open: OpenMemory,
  candidates: readonly C[],
  chosen: readonly { readonly question: string }[],
): Promise<C | null> {
  const opening = (question: string): string => question.split(" ")[0]!;
  const used = new Set(chosen.map(({ question }) => opening(question)));
  // Another question word before the same again, shorter sentences before longer ones.
  const worth = ({ question, sentence }: Candidate): number =>
    (used.has(opening(question)) ? 0 : 2) + (sentence.length <= READABLE ? 1 : 0);
  const ordered = candidates.toSorted((a, b) => worth(b) - worth(a)).slice(0, MOST_TRIES);
  for (const candidate of ordered) {
    if (chosen.some(({ question }) => question === candidate.question)) continue;
    const { facts } = await routeQuestion(open, candidate.question);
    if (facts[0] === candidate.id && (await isRead(open, candidate))) return candidate;
  }
  return null;
}

/** Whether the reader would mark words of the sentence; true without a reader. */
async function isRead({ engine }: OpenMemory, { question, sentence }: Candidate): Promise<boolean> {
  const sure = await engine.readEach(question, [sentence]);
  return sure === null || sure[0]! >= engine.reader!.level;
}

const inSource = (a: FactId, b: FactId): number =>
  documentOf(a).localeCompare(documentOf(b)) || offsetOf(a) - offsetOf(b);

const COUNT = 3;
const READABLE = 160;
const MOST_TRIES = 24;
