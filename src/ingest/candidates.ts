/** @file Sentence[] -> Candidate[]: the high-recall filter in one pass, by rules alone. */

import type { MethodParams } from "../records/params.ts";
import type { Candidate, CandidateReason, Sentence } from "../records/source.ts";
import { wordSet } from "../lib/format.ts";
import { DETERMINER } from "../lib/tokens.ts";

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
 * Why a sentence is a candidate. "strict" is the paper's filter; "wide" adds relations without names and drops headings and
 * single words; "all" takes every sentence with a letter or a digit.
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
/** Text before a capital at a start. A lone dot is not a start: inside a sentence it ends an abbreviation. */
const OPENING = /(?:(?:[!?:…]|\.\.)["'”’)*_]*\s+["'“‘(*_]*|(?:^|[\s—(-])["'“‘]+[(*_]*)$/u;
const NEXT_VERB =
  /^\s+(?:(?:also|always|never|ever|still|then|now|here|just|soon|once|often|only|[a-z]+ly)\s+)?([a-z]+)/;
/** Endings of common nouns and gerunds that happen to start a sentence. Not "ly": adverbs precede verbs. */
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

export function isHeading(text: string): boolean {
  const line = text.replace(MARKUP, " ").trim();
  if (!/\p{L}/u.test(line)) return !/\p{N}.*\s.*\p{N}/su.test(line);
  if (line.length > LONGEST_HEADING) return false;
  return NUMBERED.test(line) || FURNITURE.test(line) || isTitle(line);
}

/** Title case or capitals throughout, no digit, no end mark: "The Blue Cross", "FIRST PERIOD". */
function isTitle(line: string): boolean {
  if (END_MARK.test(line) || /\p{N}/u.test(line)) return false;
  const words = line.match(/\p{L}[\p{L}'’]*/gu) ?? [];
  return words.every((word) => SMALL.has(word.toLowerCase()) || /^\p{Lu}/u.test(word));
}

const LONGEST_HEADING = 120;
const MARKUP = /[*_#=~|]+/g;
const END_MARK = /[.!?;,:…—-]["'”’)]*$/;
const SMALL = new Set("a an the of and in on at to for with from by or de la von van der und".split(" "));

const DIVISION = "chapter|book|part|volume|vol|letter|section|act|scene|canto|stave|appendix|figure|table";
const COUNT =
  "[ivxlcdm]+|\\d+|(?:the )?(?:one|two|three|four|five|six|seven|eight|nine|ten|first|second|third|fourth|fifth|last)";
/** "CHAPTER IV", "Chapter 3 - The Lauriston Garden Mystery", "II. THE MAIL"; not "Chapter 3 describes the war." */
const NUMBERED = new RegExp(
  String.raw`^(?:(?:${DIVISION})\.?\s+(?:${COUNT})|[IVXLC]+(?=\.))\s*(?:$|[.:,]\s*$|\s*(?:[.:]|-+|—|–)\s*["'“‘]?\P{Ll}[^.!?]*[.!?]?["'”’]?$)`,
  "iu",
);
const FURNITURE =
  /^(?:the end|finis|contents|table of contents|prologue|epilogue|preface|index|footnotes?|page \d+( of \d+)?|\[illustration[^\]]*\]|\[\d+\]|p\.? ?\d+|\d+ *[|-]? *)[.:]?$/i;

const NOT_A_NAME = wordSet(
  "a an the this that these those such what which whose who whom whoever whatever whichever where when whenever",
  "why how however wherever i you he she it we they me him her us them my your his its our their mine yours hers",
  "ours theirs myself yourself himself herself itself ourselves themselves thou thee thy thine ye one ones other",
  "others another each every either neither both all any some none no not nobody nothing nowhere everybody",
  "everything everyone somebody something someone anybody anything anyone many much more most few fewer little",
  "less least several enough only even just also too very quite rather almost nearly still yet already always",
  "never ever often sometimes seldom soon again once twice then there here now today tonight tomorrow yesterday",
  "later afterwards afterward before after since till until while whilst as because if unless though although",
  "lest whereas whereupon and but or nor so for of in on at to from by with without within into upon onto over",
  "under above below between among amongst through throughout during about against along across around round",
  "behind beside besides beyond near off out up down toward towards except like unlike despite concerning",
  "according owing instead am is are was were be been being do does did done doing have has had having can cannot",
  "could may might must shall should will would ought need dare let yes aye nay oh o ah ha eh hum hush alas well",
  "why indeed perhaps maybe possibly certainly surely clearly really truly actually exactly precisely finally",
  "suddenly presently immediately instantly meanwhile moreover furthermore nevertheless otherwise therefore thus",
  "hence accordingly consequently fortunately unfortunately happily apparently evidently probably naturally",
  "come go going gone see look say says said tell ask think believe suppose know take give get put make keep hold",
  "stay stop wait listen hear speak talk try help leave leaving seeing having hearing being looking taking",
  "turning coming speaking thinking standing sitting walking thank thanks please pray excuse pardon forgive",
  "remember consider imagine depend god good great old young new poor dear true false first second third last next",
  "half part time times day days night morning evening man men woman women people things thing two three four",
  "better best worse worst long short high low full far same own don doesn didn isn aren wasn weren won wouldn",
  "couldn shouldn can hasn haven hadn ain ll ve re mayn mustn needn shan tis twas twere tisn nonsense goodbye bye",
  "hallo hello hullo farewell damn bless curse confound ay lo behold whereby wherefore whither whence thence",
  "hither thither yonder notwithstanding albeit altogether anyhow anyway besides somehow somewhere elsewhere",
  "beneath inside outside upstairs downstairs amid midst including regarding given granted provided considering",
  "chapter note",
);

const ADDRESS = wordSet(
  "sir sirs madam ma'am maam mamma mama papa mother father mr mrs ms miss master mistress dr doctor lord lady",
  "lords gentlemen ladies gentleman majesty highness lordship ladyship heaven heavens lawks sire monsieur madame",
);

const FINITE = wordSet(
  "is was were has had have will would can could may might shall should must did does do went came took got gave",
  "said made saw knew thought found told left felt put kept let began brought bought built caught chose cut drank",
  "drew drove ate fell flew fought forgot forgave grew held heard hid hit hung hurt laid lay led lent lit lost",
  "meant met paid ran rang read rode rose sang sank sat sent set shone shook shot shut sang slept slid sold sought",
  "spent spoke spread sprang stole stood struck strove swam swore swung taught threw understood woke won wore wove",
  "wrote bade became broke bent bore bound bred burst clung crept dealt dug fed fled froze lept leapt leant learnt",
  "dwelt burnt knelt rebuilt withdrew overtook undertook ain't isn't wasn't didn't doesn't hadn't won't cannot",
  "can't couldn't wouldn't shouldn't don't haven't hasn't weren't aren't",
);

/** "one", "first" and "second" are left out: in running text they hardly ever count anything. */
export const NUMBER_WORDS = wordSet(
  "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen",
  "eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds thousand thousands",
  "million millions billion trillion dozen dozens twice thrice third fourth fifth sixth seventh eighth ninth tenth",
  "eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth",
);
