/** @file Guesses the encoding of bytes that are not UTF-8: a detector's candidates, judged by the text they give. */

/** Labels of the Encoding Standard, the most likely first; empty if no candidate gives a text. */
export async function likelyEncodings(bytes: Uint8Array): Promise<readonly string[]> {
  const { default: chardet } = await import("chardet");
  const sample = bytes.subarray(0, SAMPLE);
  const scores = new Map<string, number>();
  for (const { name, confidence } of chardet.analyse(sample)) {
    for (const label of [name.toLowerCase(), ...(TWINS[name.toLowerCase()] ?? [])]) {
      if (/^(?:utf|ascii|iso-2022)/.test(label)) continue;
      const text = decodedSample(sample, label);
      if (text === null) continue;
      const score = (confidence + COMMON.indexOf(label) + 1) * plausibility(text);
      scores.set(label, Math.max(score, scores.get(label) ?? 0));
    }
  }
  return [...scores]
    .filter(([, score]) => score > 0)
    .sort(([, a], [, b]) => b - a)
    .slice(0, MOST)
    .map(([label]) => label);
}

/** UTF-16 without a byte order mark in a script that is not Latin: every pair of bytes is a letter of that one script. */
export function bareUtf16(bytes: Uint8Array): "utf-16le" | "utf-16be" | null {
  const sample = bytes.subarray(0, SAMPLE & ~1);
  if (bytes.length % 2 !== 0 || sample.length < 8) return null;
  return (
    (["utf-16le", "utf-16be"] as const).find((label) => {
      const text = decodedSample(sample, label);
      if (text === null || /(?![\t\n\r])[\p{Cn}\p{Co}\p{Cc}]/u.test(text)) return false;
      const letters = text.match(/\p{L}/gu)?.length ?? 0;
      return (
        SCRIPTS.some((script) => (text.match(script)?.length ?? 0) > 0.95 * letters) &&
        letters > 0.5 * text.length &&
        COMMON_MARKS.test(text)
      );
    }) ?? null
  );
}

/** Null if some bytes have no meaning; a character cut off at the end of the sample does not count. */
function decodedSample(sample: Uint8Array, label: string): string | null {
  try {
    return new TextDecoder(label, { fatal: true }).decode(sample, { stream: true });
  } catch {
    return null;
  }
}

/** From 1 for words as people write them down to 0: drawing characters, signs inside words, capitals inside words. */
function plausibility(text: string): number {
  const foreign = text.match(/[^\0-\x7f]/g)?.length ?? 0;
  const odd = text.match(ODD)?.length ?? 0;
  const japanese = /\p{Script=Hiragana}/u.test(text) ? 3 : 1;
  return foreign === 0 ? 0 : japanese * Math.max(0, 1 - (4 * odd) / foreign);
}

const ODD =
  /[\u0080-\u009f\ue000-\uf8ff\uff61-\uff9f\u2500-\u259f\ufffd]|(?<=\p{L})[\p{S}¡¿·¹²³¼½¾](?=\p{L})|\p{Ll}\p{Lu}/gu;
/** Encodings that hold the same letters, where the detector names one of them. */
const TWINS: Readonly<Record<string, readonly string[]>> = {
  "iso-8859-1": ["windows-1252"],
  "iso-8859-2": ["windows-1250"],
  "iso-8859-5": ["windows-1251"],
  "iso-8859-6": ["windows-1256"],
  "iso-8859-7": ["windows-1253"],
  "iso-8859-8": ["windows-1255"],
  "iso-8859-9": ["windows-1254"],
};
/** The most common encodings of files: decides between candidates that fit alike. */
const COMMON = [
  "windows-1252",
  "windows-1251",
  "gb18030",
  "shift_jis",
  "big5",
  "euc-kr",
  "euc-jp",
  "windows-1250",
].reverse();
const SCRIPTS = [
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu,
  /\p{Script=Cyrillic}/gu,
  /\p{Script=Greek}/gu,
].concat([
  /\p{Script=Hangul}/gu,
  /\p{Script=Arabic}/gu,
  /\p{Script=Hebrew}/gu,
  /\p{Script=Devanagari}/gu,
  /\p{Script=Thai}/gu,
]);
const COMMON_MARKS = /[ \n.,\u3001\u3002\uff0c]/;
const SAMPLE = 65_536;
const MOST = 4;
