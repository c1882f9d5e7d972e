/** @file Corrects the sentence boundaries of Intl.Segmenter: abbreviations, initials, dates, speech tags, and quotations. */

import { wordSet } from "../lib/format.ts";
import { isMonth } from "./marginal.ts";

/**
 * True if `next` continues the sentence `open`, e.g. after an abbreviation or before a small letter ("What?" he said).
 * @param listed whether they are in a line of notes: what may be an abbreviation then is one ("950 p.c.m. Payable on the 1st")
 */
export function joins(open: string, next: string, listed = false): boolean {
  if (!WORD.test(next) || !WORD.test(open)) return true;
  const before = open.trimEnd();
  if (CONTINUES.test(next) || CITED.test(next)) return true;
  if (HESITATES.test(open) && FIRST_PERSON.test(next)) return true;
  if (CJK_CLOSED.test(open) && CJK_TAG.test(next)) return true;
  if (PAUSE.test(before) || (SHORT_LAST.test(before) && SHORT_NEXT.test(next))) return true;
  if (
    ORDINAL.test(before) ||
    LISTED_ORDINAL.test(before) ||
    (DAY.test(before) && isMonth(FIRST_WORD.exec(next)?.[0] ?? ""))
  )
    return true;
  // "2.Carne", ".NET", "II. Second part".
  if (/[\d\s]\.$/.test(open) && /^\p{L}/u.test(next)) return true;
  if (/^\s*(?:[IVX]+|\p{Lu})\.$/u.test(before)) return true;
  if (NUMBER_SIGN.test(before) && /^\s*\d/.test(next)) return true;
  if (/(?<!\p{L})[vn]\.$/u.test(before) && /^\s*Chr\./.test(next)) return true;
  const ending = ENDING.exec(before);
  return (
    ending !== null && (abbreviates(ending, before, next) || (listed && mayAbbreviate(ending[3]!, next)))
  );
}

/** Dotted letters, times and known abbreviations, unless a common word opens what follows. */
const mayAbbreviate = (last: string, next: string): boolean =>
  !OPENERS.has((FIRST_WORD.exec(next)?.[0] ?? "").toLowerCase()) &&
  (DOTTED.test(last) || [TIMES, COUNTED, SHORT, PLACES].some((known) => known.has(last.toLowerCase())));

/** Offsets in a proposed `sentence` where one ends: before a small letter, behind an ellipsis, between two sums. */
export function endsWithin(sentence: string): readonly number[] {
  let from = 0;
  const found = [SMALL_NEXT, CAPITAL_NEXT, SUM_NEXT].flatMap((pattern) => [...sentence.matchAll(pattern)]);
  return found
    .sort((a, b) => a.index - b.index)
    .flatMap((match) => {
      const last = match[1]!.toLowerCase();
      const end = match.index + match[0].length;
      if (
        NEVER_LAST.some((known) => known.has(last)) ||
        isClipped(last) ||
        !FEWEST_WORDS.test(sentence.slice(from, end))
      )
        return [];
      from = end;
      return [end];
    });
}

/** `ending`: [all, word before, what the last word is glued to, that word without its final dot]. */
function abbreviates(ending: RegExpExecArray, open: string, next: string): boolean {
  const before = ending[1] ?? "";
  const [glued, last] = [ending[2]!, ending[3]!];
  if (CODE.test(glued) && /^\p{Lu}+$/u.test(last)) return false;
  const word = last.toLowerCase();
  const follower = FIRST_WORD.exec(next)?.[0] ?? "";
  const opener = OPENERS.has(follower.toLowerCase());
  if (TIMES.has(word)) return OPENING_TIME.test(open) || ZONE.test(next);
  if (/^гг?$/.test(word) && /\d$/.test(before)) return OPENING_TIME.test(open);
  if (/(?<!\p{L})[vn]\.\s?Chr\.$/u.test(open)) return !opener;
  if (SPACED.test(open) || ALWAYS.has(word)) return true;
  if (TITLES.has(word) && (!ENGLISH_TITLES.has(word) || /^\p{Lu}/u.test(last))) return true;
  const counts = COUNT.test(next);
  // "P. 12", but the initial of "J. P. Morgan" or "J. S. Bach".
  if (COUNTED.has(word) && (counts || !/^[PS]$/.test(last))) return counts;
  if (counts && (STREET.test(word) || opensPhrase(before, word))) return true;
  if (isClipped(last) && !/\d$/.test(before))
    if (counts || before === "" || (!opener && /^\p{Ll}/u.test(last))) return true;
  if (DAYS.test(last)) return counts || isMonth(follower) || ENGLISH_MONTH.test(follower);
  if (SHORT.has(word)) return !opener;
  if (PLACES.has(word)) return counts || (/^[A-Z]/.test(last) && !opener);
  if (/^(?:\p{Lu}\.)+\p{Lu}$/u.test(last)) return !opener;
  // "c. 1769", "(d. Nov. 4".
  if (/^\p{Ll}$/u.test(last))
    return /^\s*[\d§]/.test(next) || glued === "(" || (last === "v" && /^\p{Lu}/u.test(before));
  // "J. Smith", "George W. Bush", but not "So did I. She left."
  if (!/^\p{Lu}$/u.test(last) || opener) return false;
  return (
    last !== "I" ||
    /^\p{Lu}\.$/u.test(before) ||
    (/^\p{Lu}\p{Ll}+$/u.test(before) && !NUMBERED_ONE.has(before))
  );
}

/** "Qty. 5" or "…, exp. 12/26": a short word alone, or behind a comma, is not a sentence; nor is "Best.-Nr. 5". */
const opensPhrase = (before: string, word: string): boolean =>
  word.includes(".-") || (word.length <= 6 && /^$|[,;:(–-]$/.test(before));

/** "Blk", "tbsp", "MwSt", but not "BBC" or "Hmm": no word is without a vowel. */
const isClipped = (word: string): boolean =>
  /\p{Ll}$/u.test(word) && /^(?!h?m+$|s?h+$|[bg]?r+$|ps+t$|tsk$|z+$)[b-df-hj-np-tv-xz]{2,6}$/i.test(word);

/** For each place in `text`, whether it is inside a quotation or brackets that close; 1 also right before the closing mark. */
export function enclosed(text: string): Int16Array {
  const depth = new Int16Array(text.length + 1);
  const open: { at: number; closers: string }[] = [];
  for (const { 0: mark, index } of text.matchAll(PAIRED)) {
    const top = open.findLastIndex(({ closers }) => closers.includes(mark));
    if (top >= 0 && !(mark === "'" && /[^.!?,…]/.test(text[index - 1] ?? ""))) {
      if (index - open[top]!.at <= LONGEST_ENCLOSED) {
        depth[open[top]!.at + 1]! += 1;
        depth[index + 1]! -= 1;
      }
      open.length = top;
      continue;
    }
    const closers = CLOSERS[mark];
    if (closers === undefined || (mark === '"' && !/[^\s"'”’»).,]/.test(text[index + 1] ?? ""))) continue;
    open.push({ at: index, closers });
    if (open.length > DEEPEST) open.shift();
  }
  for (let i = 1; i < depth.length; i += 1) depth[i]! += depth[i - 1]!;
  return depth;
}

const WORD = /[\p{L}\p{N}]/u;
/** Also a closing guillemet, as in French ("« Où ? » dit-il."); one that opens a German sentence touches its first word. */
const CONTINUES = /^\s*["'“‘(*_]*\p{Ll}|^\s*[,;:)\]’”—–&=<>%°|-]|^\s*»(?![\p{L}\p{N}])/u;
/** A citation in brackets that belongs to the quotation before it: "(Smith 55)." */
const CITED = /^\s*\([^().!?]{1,80}\)\s*[.,;:]/;
const FIRST_WORD = /\p{L}+/u;
/** A trailing word that ends in one dot, with the token before it and what it is glued to. */
const ENDING = /(?:(\S+)\s+)?(?<!\S)(\S*?)(\p{L}+(?:[.-]\p{L}+)*)\.$/u;
/** Before capital letters: they end a code ("QX-7741-Z.", "USB-C.") or a measure ("40 °C."), and are not an initial ("J.-P. Sartre"). */
const CODE = /[\d/#@=+°]|\p{Lu}{2}/u;
/** "z. B.", "А. И. Семенов", "EE. UU.": one letter, or two alike, before another such group. */
const SHORT_LAST = /(?<![\p{L}.])(?:\p{L}|(\p{Lu})\1|\p{Lu}\p{Ll})\.$/u;
const SHORT_NEXT = /^\s*(?:\p{L}|(\p{Lu})\1)\.(?!\p{L})/u;
const SPACED =
  /(?<![\p{L}\p{N}])(?:z\.\s?[BTZ]|d\.\s?h|u\.\s?[aÄä]|i\.\s?d\.\s?R|o\.\s?[Ää]|s\.\s?[ou]|ad es|p\.\s?ej|p\.\s?ex|т\.\s?[ек]|Dr\. \p{Ll}+)\.$/iu;
/** Three spaced dots: a pause. Four end a sentence. */
const PAUSE = /[^.\s] \. \. \.$/;
/** A German ordinal behind its article or preposition: "im 19. Jahrhundert", "aus dem 1.-3. Jahrhundert". */
const ORDINAL =
  /(?<!\p{L})(?:(?:der|die|das|dem|den|des|im|vom|zum|zur|beim|ab|bis|seit|ein|eine[mnrs]?|jede[mnrs]?|und|(?<!I )am) |\d\.\s?[-–]\s?)\d{1,3}\.$/iu;
const DAY = /(?<![\p{L}\p{N}.,])\d{1,2}\.$/u;
/** German: "85 m², 3. OG". */
const LISTED_ORDINAL = /, \d{1,2}\.$/;
const NUMBER_SIGN = /(?:[Nn]\.?[°º]|№|§)\s?\.?$/;
const COUNT = /^\s*[(#№§$€£¥~≈<>±+]?\s?(?:[\p{Lu}-]{0,6}\d|[IVXLC]+(?!\p{L})|[B-Z](?!\p{L}|\.\s))/u;
const DOTTED = /^(?:\p{L}\.)+\p{L}$/u;
const STREET = /\p{L}(?:str|pl)$/u;
const DAYS = /^(?:Mon|Tues?|Weds?|Thu|Thurs?|Fri|Sat|Sun)$/;
const ENGLISH_MONTH = /^(?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)/;
const TIMES = wordSet("a.m p.m am pm");
/** A phrase that opens a sentence: "At 5 a.m. Mr. Smith went", "В 2010-2012 гг. Виктор посещал". */
const OPENING_TIME =
  /^\s*(?:at|by|from|since|until|till|before|after|around|about|every|on|в|с|к|до|после)\s(?:\S+\s+){1,4}\S+\.$/iu;
const ZONE =
  /^\s*(?:[A-Z]{1,2}[SD]?T\b|UTC|GMT|Eastern|Central|Pacific|Mountain|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|(?:Mon|Tues?|Weds?|Thu|Thurs?|Fri|Sat|Sun|Rm)\b)/;
/** A CJK quotation that closes after its own end mark, and its continuation: a particle, or the speaker. */
const CJK_CLOSED = /[。！？!?…][」』”）》]+$/;
const CJK_TAG = /^[とっはがをにのもでや、，]|^[\p{Script=Han}]{0,8}[说說道问問答喊叫嚷]/u;

/** A word of four letters at least, or a number that is not an ordinal, its full stop, and the space before a small letter. */
const SMALL_NEXT = /(?<![\p{L}\p{N}.])(\p{L}{4,}|\p{N}{3,}|\p{N}+(?:st|nd|rd|th))\.\s+(?=\p{Ll})/gu;
const CAPITAL_NEXT = /(?<![\p{L}\p{N}])([\p{L}\p{N}]+)[!?]?\s?(?:…|\.{3,})["'”’)\]]*\s+(?=["'“‘([]*\p{Lu})/gu;
const SUM_NEXT = /(?<=\p{Ll} )(\p{N}+)\.\s+(?=\p{N}+ [+×*=<>-] )/gu;
/** One or two words and an ellipsis: the speaker has not begun. */
const HESITATES = /^\W*(?:\p{L}+[^\p{L}.…]+)?\p{L}+(?:…|\.{3,})\s*$/u;
const FIRST_PERSON = /^I\b/;
/** Three words: fewer do not make a sentence. The text behind them is not searched, however often this runs. */
const FEWEST_WORDS = /^\s*(?:\S+\s+){2}\S/;

/** An apostrophe is not a mark: a single quote opens behind a space, and closes before none but a letter. */
const PAIRED =
  /["“”„«»‹›()[\]（）「」『』《》〈〉【】‘]|’(?!\p{L})|(?<![^\s(["“—-])'(?=\S)|(?<=[.!?,…])'(?=[\s.,;)\]]|$)/gu;
/** Opening mark -> marks that close it; German closes with the English opening quote, and turns guillemets round. */
const CLOSERS: Readonly<Record<string, string>> = {
  ...{ "'": "'", "‘": "’", '"': '"', "“": "”", "„": "“”", "«": "»", "»": "«", "‹": "›", "(": ")", "[": "]" },
  ...{ "（": "）", "「": "」", "『": "』", "《": "》", "〈": "〉", "【": "】" },
};
/** UTF-16 units. A longer speech is cut into its sentences. */
const LONGEST_ENCLOSED = 400;
const DEEPEST = 8;

const ENGLISH_TITLES = wordSet(
  "mr mrs ms messrs dr prof rev hon capt col gen lt sgt maj gov sen rep fr pres supt insp adm cmdr cpl",
);
const TITLES = new Set([
  ...ENGLISH_TITLES,
  ...wordSet(
    "mme mmes mlle mlles mgr sra sras srta sres dra lic arq dña dª exmo exma eng sig sigg sig.ra sig.na",
  ),
  ...wordSet(
    "dott dott.ssa prof.ssa ing avv geom rag cav mons psicol hr frl dipl dhr mevr drs тов проф акад доц инж",
  ),
  ...wordSet("г г-н г-жа bd av fa fam em attn ул пр просп пл пер пгт обл св им стр ул д кв рис табл"),
]);
/** Continue whatever follows. */
const ALWAYS = wordSet(
  "e.g i.e a.k.a viz cf vs ca approx eg ie h.c z.b d.h u.a u.ä z.t z.z i.d.r p.ej p.ex t.ex bl.a ad.es evtl ggf bzw inkl exkl vgl " +
    "zzgl sog insb geb verh kath evang österr schweiz griech allg ehem bijv np т.е т.к см ср напр",
);
/** Before a number only: "No. 5", "Dec. 11th", "p. 12"; "No." alone is a sentence. */
const COUNTED = wordSet(
  "no nos nr vol vols fig figs eq eqs op opp p pp ch chap art sec sect secs tab ref refs app thm def ex al " +
    "lat long par para app apt rm bldg ste hwy ext tel fax pl alt max min cap sal avg qty amt bal acct inv " +
    "freq exp ver reg stat re núm num pág págs párrf cap capp str s abb bd aufl kap abs ziff lfd jan feb mar " +
    "apr jun jul aug sep sept oct nov dec ene abr ago set dic gen mag giu lug ott jän mär mrz okt dez стр гл " +
    "т п ст",
);
/** Before a name ("St. Petersburg"), or at the end of one ("Baker St.", "King Jr."). */
const PLACES = wordSet(
  "st ste mt ft ave rd blvd ln hwy co inc ltd corp bros bp mgr jr sr esq str av avda ctra cía dir com",
);
const OPENERS = wordSet(
  "the a an he she it they we i you this that these those there then when where what who why how but and or so " +
    "yet if as at in on for from with by to no not yes his her its their our my your all some after before now " +
    "here such one each every perhaps however der das er sie es wir ich ein eine und aber il elle ils nous et mais " +
    "ella ellos pero gli он она они мы но это",
);
const SHORT = wordSet(
  "dept approx govt univ natl intl misc temp incl excl orig resp abbr anon cont comp corr dist assn assoc econ med phil rer nat habil freundl tsd " +
    "mio mill mrd mln arr dep deg e.v a.d i.v.m",
);
/** Words before another word. As the last word they show that the sentence was broken off. */
const BROKEN_OFF = wordSet(
  "a an the this that these those my your his her its our their and or but nor if because although while when as than " +
    "of to in on at by for from with into about is are was were am be been has have had do does did will would can " +
    "could shall should may might must not no so very too i you he she we they who which what well",
);
/** Other languages put a small letter behind these. */
const SMALL_FOLLOWS = wordSet(
  "appt hosp ptas disc spec empl prev prelim prod cert elec mech meteor idraul etcetera admón núms párrfs долл руб",
);
const NEVER_LAST = [TITLES, ALWAYS, COUNTED, PLACES, SHORT, BROKEN_OFF, SMALL_FOLLOWS];
/** "World War I. Germany lost." is two sentences, "Albert I. Jones" a name. */
const NUMBERED_ONE = wordSet(
  "War Part Chapter Act Book Volume Type Class Phase Stage Level Section Title Elizabeth Charles Francis Nicholas Napoleon " +
    "Wilhelm William Friedrich Frederick James Leopold Alexander Franz Ferdinand Pedro Otto Henry",
);
