/** @file Rejects sentence boundaries proposed by Intl.Segmenter: abbreviations, initials, speech tags. */

/**
 * True when `next` continues the sentence `open`: `open` ends in an abbreviation that needs a follower, `next`
 * starts in lower case ("What?" he said), or one of the two has no word of its own (a stray closing quote).
 */
export function joins(open: string, next: string): boolean {
  if (!WORD.test(next) || !WORD.test(open)) return true;
  if (CONTINUES.test(next)) return true;
  if (HESITATES.test(open) && FIRST_PERSON.test(next)) return true;
  const ending = ENDING.exec(open.trimEnd());
  return ending !== null && abbreviates(ending, next);
}

/**
 * Offsets in `sentence`, as Intl.Segmenter proposed it, where a sentence ends all the same, with words enough before it:
 * behind a full stop although the next word begins small, after a number or a word that is written out and no
 * abbreviation; and behind an ellipsis before a capital letter, after a word that can be a last one.
 */
export function endsWithin(sentence: string): readonly number[] {
  let from = 0;
  const found = [...sentence.matchAll(SMALL_NEXT), ...sentence.matchAll(CAPITAL_NEXT)];
  return found
    .sort((a, b) => a.index - b.index)
    .flatMap((match) => {
      const last = match[1]!.toLowerCase();
      const end = match.index + match[0].length;
      if (NEVER_LAST.some((known) => known.has(last)) || !FEWEST_WORDS.test(sentence.slice(from, end)))
        return [];
      from = end;
      return [end];
    });
}

/** `ending`: [all, word before, what the last word is glued to, that word without its final dot]. */
function abbreviates(ending: RegExpExecArray, next: string): boolean {
  const before = ending[1] ?? "";
  const last = ending[3]!;
  if (CODE.test(ending[2]!) && /^\p{Lu}+$/u.test(last)) return false;
  const word = last.toLowerCase();
  const follower = FIRST_WORD.exec(next)?.[0] ?? "";
  if (TITLES.has(word)) return /^[A-Z]/.test(last);
  if (LATIN.has(word)) return true;
  const counts = /^[(\d]/.test(next.trimStart());
  // "P. 12", but the initial of "J. P. Morgan".
  if (COUNTED.has(word) && (counts || last !== "P")) return counts;
  const opener = OPENERS.has(follower.toLowerCase());
  if (PLACES.has(word)) return /^[A-Z]/.test(last) && !opener;
  if (/^(?:[A-Z]\.)+[A-Z]$/.test(last)) return !opener;
  // "J. Smith", "George W. Bush", but not "So did I. She left." or "It was vitamin c."
  if (/^[A-Z]$/.test(last)) return !opener && (last !== "I" || /^[A-Z]\.$/.test(before));
  return false;
}

const words = (list: string): ReadonlySet<string> => new Set(list.split(" "));

const WORD = /[\p{L}\p{N}]/u;
/**
 * Opening marks may stand before the small letter; a dash or comma also carries the sentence on, and so does a guillemet
 * that closes, as French sets it ("« Où ? » dit-il."): the one that opens a German sentence touches its first word.
 */
const CONTINUES = /^\s*["'“‘(*_]*\p{Ll}|^\s*[,;:)\]’”—–-]|^\s*»(?![\p{L}\p{N}])/u;
const FIRST_WORD = /\p{L}+/u;
/**
 * A trailing word that ends in one dot, with the token before it and what it is glued to; closing quotes after the dot
 * end a sentence.
 */
const ENDING = /(?:(\S+)\s+)?(?<!\S)(\S*?)(\p{L}+(?:\.\p{L}+)*)\.$/u;
/** Before capital letters: they end a code ("QX-7741-Z.", "room 12B.", "USB-C."), and are nobody's initial ("J.-P. Sartre"). */
const CODE = /[\d/#@=+]|\p{Lu}{2}/u;

/** A word of four letters at least, or a number, its full stop, and the white space before a small letter. */
const SMALL_NEXT = /(?<![\p{L}\p{N}.])(\p{L}{4,}|\p{N}+(?:st|nd|rd|th)?)\.\s+(?=\p{Ll})/gu;
/** A word, its ellipsis, and the white space before a capital letter. */
const CAPITAL_NEXT = /(?<![\p{L}\p{N}])([\p{L}\p{N}]+)[!?]?\s?(?:…|\.{3,})["'”’)\]]*\s+(?=["'“‘([]*\p{Lu})/gu;
/** One or two words and an ellipsis: whoever speaks has not begun. */
const HESITATES = /^\W*(?:\p{L}+[^\p{L}.…]+)?\p{L}+(?:…|\.{3,})\s*$/u;
const FIRST_PERSON = /^I\b/;
/** Three words: fewer do not make a sentence. What is behind them is not looked at, whoever asks how often. */
const FEWEST_WORDS = /^\s*(?:\S+\s+){2}\S/;

/** Always before a name. */
const TITLES = words(
  "mr mrs ms messrs mme mlle dr prof rev hon capt col gen lt sgt maj gov sen rep fr sr jr esq pres supt insp",
);
const LATIN = words("e.g i.e viz cf vs ca approx eg ie");
/** Before a number only: "No. 5", "Dec. 11th", "p. 12"; "No." alone is a sentence. */
const COUNTED = words(
  "no nos vol vols fig figs p pp ch art sec jan feb mar apr jun jul aug sep sept oct nov dec",
);
/** Before a name ("St. Petersburg"), or at the end of one ("Baker St."). */
const PLACES = words("st mt ft ave rd blvd co inc ltd corp bros bp mgr");
/** Words that start a new sentence rather than carry on a name. */
const OPENERS = words(
  "the a an he she it they we i you this that these those there then when where what who why how but and or so " +
    "yet if as at in on for from with by to no not yes his her its their our my your all some after before now " +
    "here such one each every perhaps however",
);
/** Written short, with four letters and more. */
const SHORT = words(
  "dept approx govt univ misc temp incl excl orig resp abbr anon cont comp corr dist assn assoc",
);
/** What stands before another word, and has been broken off where it is the last one. */
const BROKEN_OFF = words(
  "a an the this that these those my your his her its our their and or but nor if because although while when as than " +
    "of to in on at by for from with into about is are was were am be been has have had do does did will would can " +
    "could shall should may might must not no so very too i you he she we they who which what well",
);
const NEVER_LAST: readonly ReadonlySet<string>[] = [TITLES, LATIN, COUNTED, PLACES, SHORT, BROKEN_OFF];
