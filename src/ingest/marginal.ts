/** @file Marks that belong to no sentence: of list items ("1.", "•") and references ("[3]", "¹"). Spaces replace them. */

/** Breaks a sentence in Intl.Segmenter, and nowhere else in our texts. */
export const BREAK = "\u2029";

/** The text with its marginal marks as spaces. @param opens whether it begins a paragraph, where a lone mark counts too */
export function withoutMarks(text: string, opens: boolean): string {
  const blank = (mark: string): string => " ".repeat(mark.length);
  let flat = text.replace(REFERENCES, (all, word: string | undefined) =>
    word !== undefined && NUMBERED.test(word) ? all : blank(all),
  );
  for (const { start, end } of itemMarks(flat, opens)) {
    const broken = start === 0 ? " " : BREAK;
    flat = flat.slice(0, start) + broken + blank(flat.slice(start + 1, end)) + flat.slice(end);
  }
  return flat;
}

export function itemNumber(line: string): number | null {
  const groups = ITEM.exec(line)?.groups;
  return groups === undefined || opensDate(groups) ? null : (valueOf(groups) ?? 0);
}

type Groups = Readonly<Record<string, string | undefined>>;

const opensDate = ({ number, close, next = "" }: Groups): boolean =>
  number !== undefined && close === "." && isMonth(next);

function valueOf({ number, letter }: Groups): number | undefined {
  if (number !== undefined) return Number(number);
  return letter === undefined ? undefined : ROMAN.indexOf(letter) + 1 || letter.charCodeAt(0) - 96;
}

interface Mark {
  readonly start: number;
  readonly end: number;
}

/** The mark that opens the paragraph, and marks that count on from it, or from a first one behind an end mark or a colon. */
function itemMarks(text: string, opens: boolean): Mark[] {
  const match = opens ? ITEM.exec(text) : null;
  const first = match && !opensDate(match.groups!) ? match : null;
  const found: Mark[] = first ? [{ start: 0, end: first[0].length }] : [];
  const bullet = first?.groups!.bullet?.trim();
  const chain: (Mark & { kind: string; value: number })[] = [];
  for (const match of text.matchAll(INLINE)) {
    const { bullet: dot, letter, close } = match.groups!;
    const [start, end] = [match.index, match.index + match[0].length];
    if (dot !== undefined) {
      if (dot === bullet && start > 0) found.push({ start, end });
      continue;
    }
    const value = valueOf(match.groups!)!;
    const kind = (letter === undefined ? "1" : "a") + close!;
    const last = chain.at(-1);
    if (last ? last.kind === kind && value === last.value + 1 : headsChain(text, start, value, opens))
      chain.push({ start, end, kind, value });
  }
  if (chain.length > 1) found.push(...chain.filter(({ start }) => start >= (first?.[0].length ?? 0)));
  return found;
}

const headsChain = (text: string, start: number, value: number, opens: boolean): boolean =>
  (opens && text.slice(0, start).trim() === "") ||
  (value === 1 && /[:.!?]\s*$/.test(text.slice(Math.max(0, start - 3), start)));

const ROMAN = ["", "ii", "iii", "iv", "", "vi", "vii", "viii", "ix"];
const BULLETS = "•‣⁃▪▫●○■□◦·";
const NUMBER = String.raw`(?<number>\d{1,3})|(?<letter>[a-h](?=\.)|[a-z](?=\))|[ivx]{2,4}(?=\)))`;
const CLOSE = String.raw`(?<close>\)|\.\)?)\s+`;
/** At the start of a paragraph: a bullet, a number, or a small letter that is not an abbreviation's; behind it a word. */
const ITEM = new RegExp(
  String.raw`^\s*(?:(?:(?<bullet>[-*+–]\s|[${BULLETS}])\s*)(?:\d{1,3}[.)]{1,2}\s+)?|#{1,6}\s+` +
    String.raw`|\(?(?:${NUMBER})${CLOSE}(?!(?<=[a-h]\.\s+)(?:\p{L}\.|\d)))(?=[^\p{L}\p{N}\n]{0,4}(?<next>[\p{L}\p{N}]+))`,
  "u",
);
const INLINE = new RegExp(
  String.raw`(?<!\S)(?:(?<bullet>[${BULLETS}])\s*(?:\d{1,3}[.)]{1,2}\s+)?|\(?(?:${NUMBER})${CLOSE})(?=\S)`,
  "gu",
);
/** "[3]", "[note 2]", "¹" or a bare number of up to three digits, one or several, glued behind an end mark and its quotes. */
const REFERENCES =
  /(?:(?<=[.!?…。！？]["'”’»)」]{0,3})\s?(?:\[(?:\d{1,3}(?:\s?[,–-]\s?\d{1,3})*|[a-z]{1,2}|(?:note|nb|n|citation|clarification|when|who|page)[^\]\n]{0,20})\]\s?)+(?=\s|$|\p{Lu}|["“«])|(?<=[.!?…]["'”’»)]{0,3})[¹²³⁰⁴-⁹†‡]+(?:[,\s][¹²³⁰⁴-⁹]+)*|(?<=(\p{L}{3,})[.!?]["'”’»)]?)\d{1,3}(?:[\s,]{1,2}\d{1,3})*(?=\s+["'“‘«(]?\p{Lu}|\s*$))/gu;
/** "fig.2 Shows" is not a reference. */
const NUMBERED = /^(?:vols?|figs?|nos?|secs?|sect|chap|eqs?|art|par|app|tab|kap|abb|núm|cap|pág)$/i;

const LANGUAGES = ["de", "de-AT", "da", "nb", "cs", "sk", "sl", "hr", "fi", "et", "lv", "is", "hu", "pl"];

const MONTHS = new Set(
  LANGUAGES.flatMap((language) =>
    (["long", "short"] as const).flatMap((month) => {
      const format = new Intl.DateTimeFormat(language, { day: "numeric", month, timeZone: "UTC" });
      return Array.from({ length: 12 }, (_, i) => {
        const parts = format.formatToParts(Date.UTC(2000, i, 3));
        return parts.find(({ type }) => type === "month")!.value.replace(".", "");
      });
    }),
  ),
);

export const isMonth = (word: string): boolean => MONTHS.has(word) && !/^\d/.test(word);
