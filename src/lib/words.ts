/** Words in lower case, however their apostrophes are set; "Klein’s" is the word "klein". */
export const wordsOf = (text: string): string[] =>
  (text.toLowerCase().replaceAll("’", "'").match(WORD) ?? []).map((word) => word.replace(/'s$/, ""));

export const contentOf = (text: string): string[] => wordsOf(text).filter((word) => !COMMON.has(word));

/** Whether `question` contains all content words of `answer`; one with choices ("the kitchen or the garden?") never does. */
export function onlyRepeats(answer: string, question: string): boolean {
  const asked = new Set(wordsOf(question));
  const content = contentOf(answer);
  return content.length > 0 && !asked.has("or") && content.every((word) => asked.has(word));
}

export const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

/** A regular expression that matches `text` with any white space and either apostrophe. */
export const looseLiteral = (text: string): string =>
  literal(text).replace(/\s+/g, "\\s+").replace(/['’]/g, "['’]");

const WORD = /[\p{L}\p{N}]+(?:[-'][\p{L}\p{N}]+)*/gu;

const COMMON = new Set(
  "a an the is are was were be been to of in on at by for from with and or it its he she they his her hers him them their theirs there".split(
    " ",
  ),
);

/** "Marta (18:04): ", the sender and time of a message (src/ingest/chat.ts). */
export const MESSAGE_LABEL = /^(.{1,40}?) \(\d{1,2}:\d\d[^()]{0,9}\): /;

/** "Which character", "what woman": a question for a name, as "who" is. Not "Which guest room is free?". */
const WHICH_PERSON =
  /\b(?:which|what) (?:(?:young|old|other) )?(?:person|people|character|man|men|woman|women|boy|girl|child|children|author|writer|artist|member|colleague|friend|guest|player|student|teacher|doctor|engineer|king|queen|brother|sister|son|daughter)s?\b(?!['’-]| [\p{L}-]+ (?:is|are|was|were|has|had|does|do|did)\b)/giu;

/** The question with "who" in place of {@link WHICH_PERSON}: "Which guest left early?" asks as "Who left early?". */
export const askingWho = (question: string): string => question.replace(WHICH_PERSON, "who");

/** Alternatives of a regular expression, as they are written. */
export const MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December";

/** Names of times, alone or with other words. */
export const TIMES =
  `(?:mon|tues|wednes|thurs|fri|satur|sun)days?|${MONTHS.toLowerCase()}|` +
  "spring|summer|autumn|winter|morning|noon|afternoon|evening|midnight|today|yesterday|tomorrow";
