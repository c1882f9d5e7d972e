/** @file Chapter headings and page furniture: lines that look like facts to a filter and state none. */

/** Whether a sentence is a chapter heading, a page number, a running title, or an ornament. */
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
/** Words that a title keeps small. */
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
