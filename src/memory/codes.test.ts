import { expect, it } from "vitest";
import { useBundled } from "../engine/testing/useBundled.ts";
import { inCodes, textOf } from "./codes.ts";

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
