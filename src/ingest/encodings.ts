/** @file Guesses the encoding of bytes that are not UTF-8: a detector's candidates, judged by the text they give. */

/** Labels of the Encoding Standard, the most likely first; empty if no candidate gives a text. */
export async function likelyEncodings(bytes: Uint8Array): Promise<readonly string[]> {
  const { default: chardet } = await import("chardet");
  const sample = bytes.subarray(0, SAMPLE);
  const scores = new Map<string, number>();
  for (const { name, confidence } of chardet.analyse(sample)) {
    const twin = TWINS[Number(/^iso-8859-(\d)$/i.exec(name)?.[1]) - 1];
    for (const label of [name.toLowerCase(), ...(twin ? [`windows-${twin}`] : [])]) {
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
/** Encodings of Windows with the letters of iso-8859-1, -2 and so on, which the detector may name. */
const TWINS = ["1252", "1250", "", "", "1251", "1256", "1253", "1255", "1254"];
/** The most common encodings of files: decides between candidates that fit alike. */
const COMMON = "windows-1250 euc-jp euc-kr big5 shift_jis gb18030 windows-1251 windows-1252".split(" ");
const SCRIPTS = [
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu,
  ...["Cyrillic", "Greek", "Hangul", "Arabic", "Hebrew", "Devanagari", "Thai"].map(
    (script) => new RegExp(`\\p{Script=${script}}`, "gu"),
  ),
];
const COMMON_MARKS = /[ \n.,\u3001\u3002\uff0c]/;
const SAMPLE = 65_536;
const MOST = 4;
