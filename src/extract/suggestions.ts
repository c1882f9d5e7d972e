/** @file Questions to suggest for a sentence, by rules alone. Every one is grammatical; a sentence that no rule fits gets none. */

import { wordSet } from "../lib/format.ts";
import { infinitiveOf } from "../lib/terms.ts";
import { MESSAGE_LABEL, MONTHS } from "../lib/words.ts";
import { oneLine } from "./anchorKey.ts";
import { PRONOUNS } from "./words.ts";

/** The words that a text writes with a capital within a sentence: its names. */
export function namesOf(sentences: Iterable<string>): ReadonlySet<string> {
  const names = new Set<string>();
  for (const sentence of sentences)
    for (const [, name] of oneLine(sentence).matchAll(/(?<=[\p{L}\p{N},;:(]\s+)(\p{Lu}[\p{L}\p{N}-]*)/gu))
      names.add(name!);
  return names;
}

/** Questions that `sentence` answers, the most specific first. @param names words that keep their capital ({@link namesOf}) */
export function suggestedQuestions(sentence: string, names: ReadonlySet<string>): string[] {
  const statement = oneLine(sentence)
    .replace(MESSAGE_LABEL, "")
    .replace(/[*_]/g, "")
    .replace(/^[-•]\s*/, "")
    .replace(/[.!…]+$/, "");
  const questions = RULES.flatMap(({ pattern, ask }) => {
    const parts = pattern.exec(statement)?.groups;
    return parts ? (ask(parts, names) ?? []) : [];
  });
  return [...new Set(questions)].filter(isSound);
}

/** Questions about things at the end of a clause ("on the back step."), where a phrase with an article is whole. */
export const questionsAboutThings = (sentence: string): string[] =>
  Array.from(oneLine(sentence).replace(MESSAGE_LABEL, "").matchAll(THING), ([, thing]) =>
    thing!.toLowerCase(),
  )
    .filter((thing) => !NO_THING.test(thing))
    .map((thing) => `What is there about the ${thing}?`);

/** The names in at least two sentences, the most frequent first, as a question asks for them. */
export function frequentNames(sentences: Iterable<string>, names: ReadonlySet<string>): string[] {
  const [lines, counts] = [[...sentences].map(oneLine), new Map<string, number>()];
  const small = new Set(lines.flatMap((line) => line.match(/(?<![\p{L}\p{N}])\p{Ll}\p{L}*/gu) ?? []));
  const isName = (word: string): boolean =>
    names.has(word) && !small.has(word.toLowerCase()) && !NAMES_NO_ONE.test(word);
  for (const line of lines) {
    const runs = (line.match(/\p{Lu}[\p{L}\p{N}-]*(?: \p{Lu}[\p{L}\p{N}-]*)*/gu) ?? []).map((run) => {
      const words = run.split(" ");
      const rest = words.slice(words.findIndex(isName));
      return rest.every(isName) ? rest.join(" ") : "";
    });
    for (const run of new Set(runs)) counts.set(run, (counts.get(run) ?? 0) + 1);
  }
  const found = [...counts].filter(([name, count]) => /\p{L}{3}|^\p{Lu}{2,}$/u.test(name) && count > 1);
  // "the UK", but not "the Kiruna" of "the Kiruna mine".
  const articleOf = (name: string): string =>
    /^\p{Lu}+$/u.test(name) && lines.some((line) => line.includes(`the ${name}`)) ? "the " : "";
  return found
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, MOST_NAMES)
    .map(([name]) => `${articleOf(name)}${name}`);
}

type Parts = Readonly<Record<string, string | undefined>>;
interface Rule {
  readonly pattern: RegExp;
  readonly ask: (parts: Parts, names: ReadonlySet<string>) => string | null;
}

const { raw } = String;
const ARTICLE = "(?:[Tt]he|[Aa]n?|[Mm]y|[Oo]ur|[Yy]our|[Hh]is|[Hh]er|[Ii]ts|[Tt]heir)";
/** At most six words that open a sentence with an article, a possessive or a capital. */
const SUBJECT = raw`(?<S>(?:${ARTICLE}\s|(?=\p{Lu}))[\p{L}\p{N}'’&.-]+(?:\s[\p{L}\p{N}'’&.-]+){0,4}?)`;
const NAME = raw`(?<S>(?:(?:Mr|Mrs|Ms|Miss|Dr|Sir)\.?\s)?(?!${ARTICLE}\s)\p{Lu}[\p{L}'’-]+(?:\s\p{Lu}[\p{L}'’.-]*){0,2})`;
const MONEY = raw`(?:[€£$]\s?\d|\d[\d.,]*\s?(?:€|£|\$|euros?|dollars?|pounds?|cents?)(?!\p{L}))`;
const MONTH = raw`(?:${MONTHS}|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)`;
const DAY = raw`(?:(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:days?)?)`;
const TIME = raw`(?:${DAY}(?!\p{L})|(?:\d{1,2}\.?\s)?${MONTH}(?!\p{L})|\d{1,2}[:.]\d\d(?!\d)|\d{1,2}\s?[ap]\.?m|noon|midnight|(?:quarter|half)\s(?:to|past)|(?:1[5-9]|20)\d\d(?!\d))`;
const ATTRIBUTE = raw`(?:name|code|number|colou?r|price|cost|rent|budget|fee|salary|password|address|phone|capital|size|height|length|width|weight|depth|speed|age|date|title|author|owner|director|population|area|goal|aim|purpose|cause|reason|result|passport|birthday|deadline|nickname|job|favou?rite\s\p{Ll}+)`;
const PERSON = raw`(?:\p{L}*(?:man|woman|maker|keeper|teacher|writer|driver|sister|brother|mother|father|daughter|doctor|actor|author|ist|ian|princess)|captain|[Kk]ing|[Qq]ueen|[Pp]rince|nurse|chef|cook|friend|wife|husband|son|aunt|uncle|niece|nephew|cousin|boy|girl|child|student|poet|priest|pilot|spy|thief|judge|clerk|widow|orphan|farmer|sailor|tailor|hunter|soldier|servant|maid|fairy|giant|witch|wizard|knight|merchant|monk|landlord|plumber|manager|director|engineer|baker|miller)`;
/** Verbs in the present whose subject is a person; of the past those in -ed and the irregular ones. */
const DOES = raw`(?:works|studies|writes|buys|sells|orders|builds|finds|takes|repairs|asks|calls|paints|teaches|plays|sings|drives|pays|owns|wears|plans|leads|manages|cooks|visits|chairs|translates|directs|books|\p{Ll}+)`;
const COUNT = raw`(?:\d[\d,]*|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty)`;
const DONE =
  "built|founded|opened|born|written|made|sold|closed|published|painted|discovered|invented|moved|destroyed|held";
const AT = "in|at|on|under|near|behind|inside|above|below";

const MOST_NAMES = 12;
/** Times, forms of address, and adjectives of peoples. */
const NAMES_NO_ONE = new RegExp(
  raw`^(?:${MONTH}|${DAY}|I|Mr|Mrs|Ms|Miss|Dr|Sir)$|(?:ish|ese|[ie]an|can|ch|ern|[a-z]s)$|^(?:German|Greek|Dutch|Roman|Arab|Welsh|Czech|Thai)$`,
  "u",
);

const THING =
  /(?<=\s(?:in|on|at|of|to|from|with|for|into|under|near|behind|by) )the ((?:\p{Ll}{3,} )?\p{Ll}{4,})(?=[.,;!?]|$)/gu;
/** Times, places in a row, and words that refer to something else. */
const NO_THING =
  /\b(?:same|other|others|whole|first|second|third|next|last|latter|former|rest|most|least|best|worst|middle|time|times|moment|while|morning|afternoon|evening|night|day|days|week|month|year|years|matter|case|point|fact|thing|things|one|ones|too|again|also|only|instead|though|left|right|ago|latest|following|kind|sort|part|reason|bit)\b|(?<!fami)ly$/;

const RULES: readonly Rule[] = [
  { pattern: /^(?<L>\p{L}[\p{L}'’ -]{1,44}\p{L}): (?<V>\S.*)$/u, ask: labelled },
  rule(raw`^${SUBJECT} (?<B>is|are|was|were) ${MONEY}`, ({ S, B }) => `How much ${B} ${S}?`),
  rule(raw`^${SUBJECT} (?<V>costs?) (?:about |only )?${MONEY}`, ({ S = "", V }) =>
    [`How much`, V === "costs" ? "does" : /[^s]s$/.test(S) ? "do" : "did", S, "cost?"].join(" "),
  ),
  rule(raw`^${SUBJECT} holds ${COUNT}`, ({ S }) => `How much does ${S} hold?`),
  rule(
    raw`^${SUBJECT} (?<B>is|was) (?:about |only )?\d[\d.,]* \p{L}+ (?<H>long|high|tall|wide|deep|old)(?!\p{L})`,
    ({ S, B, H }) => `How ${H} ${B} ${S}?`,
  ),
  rule(
    raw`^${SUBJECT} (?<H>has|had) ${COUNT} (?<N>(?!years|days|times|hours|minutes|months|weeks)\p{Ll}+s)(?=$|[,;]| (?:and|in|on|at|of|with|for|to)\b)`,
    ({ S, H, N }) => `How many ${N} ${H === "has" ? "does" : "did"} ${S} have?`,
  ),
  rule(
    raw`^${SUBJECT} (?<B>was|were) (?<V>${DONE}|\p{Ll}+ed) (?:by [\p{L} .]+ )?(?:in|on) (?:the )?${TIME}`,
    ({ S, B, V }) => `When ${B} ${S} ${V}?`,
  ),
  rule(
    raw`^${SUBJECT} (?<V>began|started|opened|closed|ended|broke|died|arrived|takes place) (?:again )?(?:in|on|at) (?:the |about )?(?:(?:first|second|third|last) )?${TIME}`,
    ({ S, V = "" }) => (V === "takes place" ? `When does ${S} take place?` : `When did ${S} ${baseOf(V)}?`),
  ),
  rule(
    raw`^${SUBJECT} will be (?<V>(?:${DONE}|\p{Ll}+ed)(?: (?:on|off|out|up|down))?) (?:again )?(?:in|on|at|from) (?:the |about )?${TIME}`,
    ({ S, V }) => `When will ${S} be ${V}?`,
  ),
  rule(raw`^${SUBJECT} (?:was|were) (?<V>\p{Ll}+ed) by \p{Lu}`, ({ S, V }) => `Who ${V} ${S}?`),
  rule(raw`^${NAME} has (?<V>taken|given|written|made|sold|built|\p{Ll}+ed) (?<R>.+)$`, ({ V, R = "" }) => {
    const rest = firstClause(R);
    return rest && `Who has ${V} ${rest}?`;
  }),
  rule(raw`^${NAME} was born (?:in|at) \p{Lu}`, ({ S }) => `Where was ${S} born?`),
  rule(raw`^${NAME} (?<V>live|studie)(?<E>s|d) (?:in|at|near) (?:the |an? )?\p{L}`, ({ S, V, E }) =>
    [`Where`, E === "s" ? "does" : "did", S, V === "live" ? "live?" : "study?"].join(" "),
  ),
  rule(
    raw`^${SUBJECT} (?<V>(?:live|hang)s?|lived|hung|st(?:ands?|ood)) (?:in|on|at|under|near|behind) (?:(?:the|an?) \p{Ll}|\p{Lu})`,
    ({ S, V = "" }) =>
      `Where ${/s$/.test(V) ? "does" : /^(?:lived|stood|hung)$/.test(V) ? "did" : "do"} ${S} ${baseOf(V.replace(/s$/, ""))}?`,
  ),
  rule(
    raw`^${SUBJECT} (?<V>comes|came) (?:by \p{Ll}+ )?from (?:(?:the|an?) \p{Ll}|\p{Lu})`,
    ({ S, V }) => `Where ${V === "came" ? "did" : "does"} ${S} come from?`,
  ),
  rule(
    raw`^${SUBJECT} (?<V>belongs|belonged) to \p{Lu}`,
    ({ S, V }) => `Who ${V === "belongs" ? "does" : "did"} ${S} belong to?`,
  ),
  rule(raw`^${SUBJECT} (?<B>is|was) called \p{Lu}`, ({ S, B }) => `What ${B} ${S} called?`),
  rule(raw`^(?<S>The (?:\p{Ll}+ )?${PERSON}) (?<B>is|was) \p{Lu}`, ({ S, B }) => `Who ${B} ${S}?`),
  rule(
    raw`^(?<S>The \p{Lu}[\p{L}'’-]+(?: (?:of (?:the )?)?\p{Lu}[\p{L}'’-]+){1,3}) (?<B>is|was) (?:an?|the|one of) `,
    ({ S, B }) => `What ${B} ${S}?`,
  ),
  rule(
    raw`^(?<S>[Tt]he ${ATTRIBUTE} (?:of|for) [^,;:()]{2,40}?) (?<B>is|are|was|were) (?!\p{Ll}+ed\s)(?<R>.+)$`,
    ({ S, B, R = "" }) => `${new RegExp(`^${MONEY}`, "u").test(R) ? "How much" : "What"} ${B} ${S}?`,
  ),
  rule(
    raw`^(?<S>\p{Lu}[\p{L}-]+(?: \p{Lu}[\p{L}-]+)?['’]s ${ATTRIBUTE}) (?<B>is|are|was|were) `,
    ({ S, B }) => `What ${B} ${S}?`,
  ),
  rule(
    raw`^${SUBJECT} (?<B>is|are|was|were) (?:again )?(?:at|on|from) (?:the |about )?${TIME}`,
    ({ S, B }) => `When ${B} ${S}?`,
  ),
  rule(
    raw`^${SUBJECT} (?<B>is|are|was|were) (?:located |found |kept |hidden |stored |buried )?(?:${AT}) (?:(?:the|an?|his|her) (?!middle|process)\p{Ll}+|\p{Lu}[\p{L}-]+|room \d|box \d)`,
    ({ S, B }) => `Where ${B} ${S}?`,
  ),
  rule(
    raw`^${NAME} (?<B>is|was) (?:the|an?) (?:\p{Ll}+ ){0,2}?${PERSON}(?!\p{L})`,
    ({ S, B }) => `Who ${B} ${S}?`,
  ),
  rule(raw`^${NAME} (?<V>picked up|${DOES}) (?<R>.+)$`, whoDid),
  rule(raw`^(?<S>[Tt]he (?:\p{Ll}+ )?${PERSON}) (?<V>picked up|${DOES}) (?<R>.+)$`, whoDid),
];

/** A rule whose subject "S" must be a noun phrase; it is asked with the subject as it is written within a sentence. */
function rule(source: string, ask: Rule["ask"]): Rule {
  return {
    pattern: new RegExp(source, "u"),
    ask: (parts, names) => {
      const subject = parts["S"] ?? "";
      const words = subject.toLowerCase().split(" ");
      if (
        words.some((word) => NOT_IN_A_SUBJECT.has(word)) ||
        MID_PHRASE.test(subject) ||
        isNoName(subject, names, !source.includes(SUBJECT)) ||
        PRONOUNS.has(words[0]!.replace(/^(?:my|our|your)$/, "the"))
      )
        return null;
      return ask({ ...parts, S: withinSentence(subject, names) }, names);
    },
  };
}

/** "Parking is on the field", "Tears flowed": a first word with a capital that the text writes nowhere else with one. */
const isNoName = (subject: string, names: ReadonlySet<string>, likely: boolean): boolean =>
  /^\p{Lu}[^\p{Lu} ]*$/u.test(subject) &&
  !names.has(subject) &&
  !(likely && /(?<!ing|[^s]s|ion)$/.test(subject));

/** "Sometimes her spectacles": the phrase begins within. */
const MID_PHRASE = /(?<! (?:of|for|and)) (?:the|an?|my|our|your|his|her|its|their) /;

/** "Rent for the office: €2,450" -> "How much is the rent for the office?" */
function labelled({ L = "", V = "" }: Parts, names: ReadonlySet<string>): string | null {
  const words = L.split(" ");
  const first = words[0]!.toLowerCase();
  const states = / (?:is|are|was|were|has|had|said|says) |^["“‘]/.test(`${V} | ${L} `);
  if (
    words.length > 6 ||
    states ||
    NO_LABEL.has(first) ||
    words.some((word) => PRONOUNS.has(word.toLowerCase()))
  )
    return null;
  const owner = /^(\p{Lu}[\p{L}-]*)['’]s /u.exec(L)?.[1];
  const label =
    owner && names.has(owner)
      ? L
      : articled(owner ? L.charAt(0).toLowerCase() + L.slice(1) : withinSentence(L, names));
  const head = /^(?:the )?(.*?)(?: (?:of|for|in|on|at|from|after|next|with|to|left) .*)?$/.exec(label)![1]!;
  const verb = /[^s']s$/.test(head) && !/(?:us|is|ss|news)$/.test(head) ? "are" : "is";
  if (new RegExp(raw`^(?:\p{L}+ )?${MONEY}`, "u").test(V)) return `How much ${verb} ${label}?`;
  if (new RegExp(raw`(?:^|, )(?:(?:on|at|from|every) )?(?:the )?${TIME}`, "u").test(V))
    return /^(?:who|when|where) /i.test(V) ? null : `When ${verb} ${label}?`;
  const isAttribute = new RegExp(raw`(?:^| )(?:${ATTRIBUTE}|\p{Lu}{2,})$`, "u").test(head);
  return words.length > 1 && verb === "is" && isAttribute ? `What is ${label}?` : null;
}

/** "Lena orders 24 chairs (…)" -> "Who orders 24 chairs?" */
function whoDid({ S = "", V = "", R = "" }: Parts): string | null {
  const rest = R.includes(": ") || /ly$/.test(S) || V === "said" ? null : firstClause(R);
  return rest !== null && isPast(V) ? `Who ${V} ${rest}?` : null;
}

const PRESENT = new RegExp(`^(?:${DOES.slice(3, -1).replace(raw`|\p{Ll}+`, "")}|picked up)$`);
const isPast = (verb: string): boolean =>
  PRESENT.test(verb) ||
  (!NOT_OF_A_PERSON.has(verb) &&
    (/(?:ed|ied)$/.test(verb) || (infinitiveOf(verb) !== verb && !/[eou]n$/.test(verb))));

/** The infinitive of a verb in the past; a regular one keeps the e of "died", "closed" and "arrived". */
const baseOf = (verb: string): string =>
  infinitiveOf(verb) === verb ? verb.replace(/(?<=[ivs])ed$/, "e").replace(/ed$/, "") : infinitiveOf(verb);

/** The words of a predicate up to its first boundary; null if they are too few or too many, or refer to something before them. */
function firstClause(rest: string): string | null {
  const [first = ""] = rest.split(
    /,(?!\d)|[;(“”"]|:\s|\s(?:and|but|or|because|so|when|while|who|which|that|if|as|before|after|until|since|though|than)\s/,
  );
  const words = first.trim().split(" ");
  const fits =
    words.length >= 2 && words.length <= 9 && words.some((word) => word.length > 3 || /\d/.test(word));
  const whole =
    !/^(?:by|than|of) |(?:^| )(?:of|to|in|on|at|from|with|by|for|into|over|the|an?|not|[€£$]\S*|on \d+)$/.test(
      words.join(" "),
    );
  return fits && whole && !words.some((word) => REFERS_BACK.has(word.toLowerCase())) ? first.trim() : null;
}

/** A phrase from the head of a sentence as it is written within one: "The office" -> "the office", "Fire drill" -> "the fire drill". */
function withinSentence(phrase: string, names: ReadonlySet<string>): string {
  const [, first = "", second = ""] = /^(\S+)(?: (\S+))?/u.exec(phrase) ?? [];
  const small = first.toLowerCase() + phrase.slice(first.length);
  // "plot one" has no article.
  if (new RegExp(`^(?:${ARTICLE} |\\p{L}+ (?:one|${COUNT})$)`, "u").test(phrase)) return small;
  const isName = !/^\p{Lu}\p{Ll}+$/u.test(first) || names.has(first) || !/^\p{Ll}/u.test(second);
  return isName ? phrase : `the ${small}`;
}

const articled = (label: string): string =>
  new RegExp(`^${ARTICLE} `, "u").test(label)
    ? label
    : `the ${label.replace(/^\p{Lu}\p{Ll}+$/u, (word) => word.toLowerCase())}`;

/** Labels that name nothing: "Note: …"; with an article it is a sentence before a list. */
const NO_LABEL = wordSet(
  "about note notes nb ps action actions todo attention warning example figure chapter section step question answer re from to cc",
  "subject date sent published updated posted time when where place venue present apologies yes no today tomorrow yesterday and but or so if when the a an project",
);
const NOT_IN_A_SUBJECT = wordSet(
  "that which who whom whose when where while if as and or but because there it this these those not never he she they we you",
  "i said is are was were had has have did does do will would could should may might must than then so what how why in on",
  "each every another no next at by from with without after before during since until under over into about like all both some many most",
);
const REFERS_BACK = wordSet(
  "it them him her he she they this that these those its their his there here i we you me us my our your himself herself",
);
/** Verbs in the past that things, places and groups do as well. */
const NOT_OF_A_PERSON = wordSet(
  "was were had has did could would should might must remained seemed appeared lasted belonged contained consisted measured",
  "peaked resulted occurred happened started ended covered extended increased decreased ranked began became grew fell rose",
  "got hundred elected lay hung meant cost indeed need red speed bed unmoved exceed proceed succeed interested used called named",
);

/** Short, without marks of speech or brackets, and with something to look for. */
const isSound = (question: string): boolean =>
  question.length <= 90 &&
  !/["“”«»()[\]{}<>|…?].+/.test(question.slice(0, -1)) &&
  /\p{L}{3,}.*\s.*(?:\p{L}{3,}|\p{Lu}{2})/u.test(question);
