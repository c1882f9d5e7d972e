/** @file LLMLingua-2's procedure on probabilities that a test states, each result worked out by hand from the upstream rule. */

import { describe, expect, it } from "vitest";
import { compressed, type Compressor } from "./compression.ts";

/** Reads "word:probability" as a token; tokens of one word are joined by "##", as WordPiece has them. */
function stated(runs: string[][] = []): Compressor {
  return {
    name: "stated",
    mark: { kind: "continues", text: "##" },
    special: new Set(["[UNK]"]),
    tokens: (line) =>
      line
        .split(" ")
        .filter((one) => one !== "")
        .flatMap((word) => word.split(/(?=##)/)),
    keep: (given) => {
      runs.push(...given.map((run) => [...run]));
      return Promise.resolve(given.map((run) => run.map((token) => Number(token.split(":")[1] ?? 0.5))));
    },
    text: (tokens) => tokens.map((token) => token.replace(/:[\d.]+/g, "").replaceAll("##", "")).join(" "),
  };
}

const words = (text: string): number => text.split(/\s+/).filter((one) => one !== "").length;
const squeeze = (text: string, target: number, compressor = stated()): Promise<string> =>
  compressed(text, compressor, { target, count: words, countWord: words });

describe("LLMLingua-2's procedure", () => {
  const letters = "a:.05 b:.15 c:.25 d:.35 e:.45 f:.55 g:.65 h:.75 i:.85 j:.95";

  it("keeps the likeliest words in the order of the text, above the percentile of what is to go and one more", async () => {
    // Of 10, half is to go: the 51st percentile is 0.45 + 0.59 × 0.1 = 0.509.
    expect(await squeeze(letters, 5)).toBe("f g h i j");
    // The 71st: 0.65 + 0.39 × 0.1 = 0.689.
    expect(await squeeze(letters, 3)).toBe("h i j");
    expect(await squeeze(letters.split(" ").toReversed().join(" "), 3)).toBe("j i h");
  });

  it("leaves a text alone that is no longer than its target, and asks nothing of it", async () => {
    const runs: string[][] = [];
    expect(await squeeze("  a:.1\n\nb:.1 ", 2, stated(runs))).toBe("  a:.1\n\nb:.1 ");
    expect(await squeeze("", 0, stated(runs))).toBe("");
    expect(runs).toEqual([]);
  });

  it("keeps nothing where all words are equally likely, and all of them where all are certain", async () => {
    expect(await squeeze("a:.4 b:.4 c:.4 d:.4", 2)).toBe("");
    expect(await squeeze("a:1 b:1 c:1 d:1", 2)).toBe("a b c d");
  });

  it("weighs a word of several tokens by their mean, and keeps it whole or not at all", async () => {
    // Means: 0.7 of gard##en, 0.3 of off##ice, though its second token alone is likelier than any other.
    const text = "mary:.6 gard:.9##en:.5 off:.0##ice:.6 the:.1";
    expect(await squeeze(text, 2)).toBe("mary garden");
  });

  it("counts a word by the tokens that it has for the model that is asked", async () => {
    // j alone is four tokens: of 13, the 51st percentile is that of f's and g's, 0.65 + 0.12 × 0.1.
    const countWord = (word: string): number => (word.startsWith("j") ? 4 : 1);
    const task = { target: 5, count: words, countWord };
    expect(await compressed(letters, stated(), task)).toBe("h i j");
  });

  it("keeps marks by force, but none that follows the same with nothing worth keeping between", async () => {
    const text = "a:.1 . b:.2 . c:.9 . d:.3 .";
    // The threshold for "worth keeping" is the percentile of what is to go: 1, 0.95 and 0.275.
    expect(await squeeze(text, 2)).toBe(". c");
    expect(await squeeze(text, 4)).toBe(". b c d");
    expect(await squeeze(text, 6)).toBe(". b c . d .");
  });

  it("keeps a line break without showing it to the classifier, and skips what it has no word for", async () => {
    const runs: string[][] = [];
    const text = "a:.1 b:.9\nc:.8 [UNK] d:.2";
    // Of 5 words by count, 4 and the break by probability: the 41st percentile of .1 .2 .8 .9 1 is 0.584.
    expect(await squeeze(text, 3, stated(runs))).toBe("b\nc");
    expect(runs).toEqual([["a:.1", "b:.9", "c:.8", "[UNK]", "d:.2"]]);
  });

  it("cuts chunks behind the last end of a sentence within 511 tokens, else in front of a word", async () => {
    const lengths = async (text: string): Promise<number[]> => {
      const runs: string[][] = [];
      await squeeze(text, 10, stated(runs));
      return runs.map(({ length }) => length);
    };
    const many = (count: number): string => Array<string>(count).fill("w").join(" ");
    expect(await lengths(many(1000))).toEqual([511, 489]);
    expect(await lengths(`${many(300)} . ${many(700)}`)).toEqual([301, 511, 189]);
    expect(await lengths(`${many(510)} . ${many(20)}`)).toEqual([511, 20]);
    expect(await lengths(`${many(509)} gard##en##er ${many(20)}`)).toEqual([509, 23]);
  });

  it("chooses chunks first where so little is to stay that no word would, and words of those then", async () => {
    const chunk = (first: string): string => `${first} ${Array<string>(496).fill("w:.4").join(" ")} .`;
    const best = "gold:.99 ring:.98 lay:.97 here:.96";
    const text = [chunk("a:.1 b:.2 c:.3 d:.35"), chunk(best), chunk("e:.1 f:.2 g:.3 h:.35")].join(" ");
    expect(words(text)).toBe(3 * 501);
    // 8 of 1,503 are 0.5 %: the percentile of a word would be the 100th. 16 of 1,503 leave the likeliest chunk,
    // and 8 of its 501 the 99th percentile: the five likeliest words.
    expect(await squeeze(text, 8)).toBe("gold ring lay here .");
    // Upstream's own filter keeps the 99th percentile of chunks at least, so a hundredth of a longer text is left.
    expect(words(await squeeze(`${text} ${text}`, 3))).toBeLessThanOrEqual(2 * 5);
  });
});
