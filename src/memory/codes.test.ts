import { expect, it } from "vitest";
import { useBundled } from "../engine/testing/useBundled.ts";
import { inCodes, says, textOf, textsOf, tokenText } from "./codes.ts";
import { SENTENCE_PIECE, madeTokenizer } from "./testing/tokenizers.ts";

const opened = useBundled();

const TEXTS = [
  "“Come here,” said Zoë — she wasn’t joking… “Now!”",
  "中文 and にほんご, 한국어, Ελληνικά, русский, עברית, العربية.",
  "Smile 😀, family 👨‍👩‍👧, flag 🇬🇧, é as e\u0301.",
  "{}{{ {g} {4e2d{ {{g{ {",
  "£5 and 20 °C, §3: naïve façade, Łódź",
];

it.each(TEXTS)("%s is read back as it was, from tokens of whole characters alone", (text) => {
  const { engine } = opened;
  const plain = engine.encode(` ${text}`);
  const coded = inCodes(engine, plain);
  expect(coded).not.toEqual(plain);
  expect(textOf(engine, coded, true)).toBe(engine.decode(plain));
  for (const id of coded) expect(engine.decode([id])).not.toContain("\uFFFD");
});

it("leaves alone what the tokenizer has whole, and reads what is no code as it stands", () => {
  const { engine } = opened;
  const plain = engine.encode(' "Come here," said Mary to J. P. Morgan; it was 7:30.');
  expect(inCodes(engine, plain)).toEqual(plain);
  const brace = engine.encode("{Q? {12 and {");
  expect(inCodes(engine, brace)[1]).toBe(brace[0]);
  expect(textOf(engine, engine.encode("{? {12 and"), true)).toBe("{? {12 and");
});

it("takes no more tokens for the quotes and dashes of books than their bytes do", () => {
  const { engine } = opened;
  const plain = engine.encode(" “I won’t,” — she said…");
  expect(inCodes(engine, plain).length).toBeLessThan(plain.length);
});

const NORMALISED = [
  "Ame\u0301lie drank it in the cafe\u0301.",
  "The \u212Bngstro\u0308m is 10^-10 m, and \u2126 is an ohm\u037E so said \uF900.",
  "It has no token for £ or 中.",
  "a\u0323\u0307 and q\u0307\u0323, \u212B\u0301 {g} “é”",
];

it.each(NORMALISED)(
  "%s is read back as it was where the tokenizer composes characters, or has none for them",
  async (text) => {
    const engine = await madeTokenizer(["é", "Å", "ö"], { normalizer: { type: "NFC" } });
    const plain = engine.encode(` ${text}`);
    expect(engine.decode(plain)).not.toBe(` ${text}`);
    expect(says(engine, plain, text, false)).toBe(false);
    const coded = inCodes(engine, plain, text);
    expect(textOf(engine, coded, true)).toBe(` ${text}`);
    expect(says(engine, coded, text, true)).toBe(true);
  },
);

it("has the same tokens as ever for what a normalising tokenizer leaves as it is", async () => {
  const engine = await madeTokenizer(["é"], { normalizer: { type: "NFC" } });
  const plain = engine.encode(" Amélie paid 5.");
  expect(inCodes(engine, plain, "Amélie paid 5.")).toEqual(inCodes(engine, plain));
});

function sentencePiece() {
  const bytes = Array.from({ length: 256 }, (_, i) => `<0x${i.toString(16).toUpperCase().padStart(2, "0")}>`);
  const ascii = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i));
  const words = ["▁the", "▁lamp", "▁burnt", "▁said"];
  const begun = (word: string) => Array.from(word.slice(1), (_, n) => word.slice(0, n + 2));
  const merges = words.flatMap((word) => begun(word).map((whole) => [whole.slice(0, -1), whole.at(-1)!]));
  const pieces = ["<unk>", ...bytes, ...ascii, "▁", ...new Set(words.flatMap(begun))];
  return madeTokenizer([], {
    ...SENTENCE_PIECE,
    model: {
      type: "BPE",
      unk_token: "<unk>",
      byte_fallback: true,
      vocab: Object.fromEntries(pieces.map((piece, i) => [piece, i])),
      merges,
    },
  });
}

it("keeps the spaces of a tokenizer that drops the first one, and codes its rare characters", async () => {
  const engine = await sentencePiece();
  const value = "the lamp burnt out, said “Mary” 中";
  const tokens = engine.encode(value);
  expect(engine.decode([tokens[1]!])).toBe("lamp");
  expect(textsOf(engine, tokens).slice(0, 4)).toEqual([" the", " lamp", " burnt", " "]);
  const coded = inCodes(engine, tokens, value);
  expect(coded).not.toEqual(tokens);
  expect(says(engine, coded, value, true)).toBe(true);
  for (const id of coded) expect(tokenText(engine, id)).not.toContain("\uFFFD");
});
