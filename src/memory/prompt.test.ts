/** @file Where the final key token lies, for tokenizers that cut the prompt in different places. */

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Engine } from "../engine/engine.ts";
import { openText } from "../engine/text.ts";
import { BUNDLED } from "../engine/testing/models.ts";
import { nodeModelFiles } from "../../tools/node/nodeFile.ts";
import { makeFolder } from "../weights/testing/files.ts";
import { recallPrompt, valueTokens } from "./parts.ts";
import { keyText } from "../records/fact.ts";

/** Whatever tokens there are. */
const ANY = { endTokens: [], vocabulary: Infinity };

type Text = Pick<Engine, "encode" | "decode">;
const engineOf = (text: Text): Engine => text as Partial<Engine> as Engine;

/** A real tokenizer from a vocabulary of pieces: Unigram takes the longest, since all pieces cost the same. */
async function tokenizer(pieces: readonly string[], more: Record<string, unknown> = {}): Promise<Engine> {
  const single = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i));
  const vocab = ["<unk>", "<s>", ...single, "▁", "é", "e\u0301", ...pieces].map((piece) => [piece, -1]);
  const json = {
    version: "1.0",
    added_tokens: [
      {
        id: 1,
        content: "<s>",
        special: true,
        single_word: false,
        lstrip: false,
        rstrip: false,
        normalized: false,
      },
    ],
    normalizer: null,
    pre_tokenizer: null,
    post_processor: null,
    decoder: { type: "Fuse" },
    model: { type: "Unigram", unk_id: 0, vocab },
    ...more,
  };
  return engineOf(await openText(makeFolder({ "tokenizer.json": JSON.stringify(json) }), ANY));
}

/** The prompt cut into what each token stands for, with the key token in brackets. */
function shown(engine: Engine, anchor: string, index = 1): string {
  const { ids, keyPosition } = recallPrompt(engine, { anchor, index });
  const texts = ids.map((_, i) => engine.decode(ids.slice(i, i + 1)));
  return texts.map((text, i) => (i === keyPosition ? `[${text}]` : text)).join("|");
}

const WORDS = ["Recall", " the", " fact", " about", " Mary", " (", "1", ")", ":"];

describe("the key token", () => {
  it("is the closing bracket where it is a token of its own", async () => {
    expect(shown(await tokenizer(WORDS), "Mary")).toBe("Recall| the| fact| about| Mary| (|1|[)]|:");
  });

  it("is the one before where the bracket and the colon are one token", async () => {
    expect(shown(await tokenizer([...WORDS, "):"]), "Mary")).toBe("Recall| the| fact| about| Mary| (|[1]|):");
  });

  it("may be a token with much of the key in it", async () => {
    const engine = await tokenizer([...WORDS, " Mary (1)"]);
    expect(shown(engine, "Mary")).toBe("Recall| the| fact| about|[ Mary (1)]|:");
    expect(shown(await tokenizer([...WORDS, " (1):"]), "Mary")).toBe(
      "Recall| the| fact| about|[ Mary]| (1):",
    );
  });

  it("does not count a start token", async () => {
    const start = {
      type: "TemplateProcessing",
      single: [{ SpecialToken: { id: "<s>", type_id: 0 } }, { Sequence: { id: "A", type_id: 0 } }],
      pair: [],
      special_tokens: { "<s>": { id: "<s>", ids: [1], tokens: ["<s>"] } },
    };
    const engine = await tokenizer(WORDS, { post_processor: start });
    expect(engine.encode("Recall")).toHaveLength(2);
    expect(shown(engine, "Mary")).toBe("|Recall| the| fact| about| Mary| (|1|[)]|:");
    // And the value gets none, also where it is read alone because the joint text is cut otherwise.
    const merging = await tokenizer([...WORDS, ": It"], { post_processor: start });
    const key = { anchor: "Mary", index: 1 };
    for (const one of [engine, merging])
      expect(one.decode(valueTokens(one, key, recallPrompt(one, key), "It is so."))).toBe(" It is so.");
    expect(valueTokens(merging, key, recallPrompt(merging, key), "It is so.")).not.toContain(1);
  });

  it("is right where the tokenizer composes characters and so shortens the text", async () => {
    const engine = await tokenizer(WORDS, { normalizer: { type: "NFC" } });
    expect(shown(engine, "Ame\u0301lie Cafe\u0301")).toMatch(/\|\[\)\]\|:$/);
  });

  it("is right where decoding drops the first space", async () => {
    const metaspace = { type: "Metaspace", replacement: "▁", prepend_scheme: "always", split: false };
    const pieces = ["▁Recall", "▁the", "▁fact", "▁about", "▁Mary", "▁(", "1", ")", ":"];
    const engine = await tokenizer(pieces, { pre_tokenizer: metaspace, decoder: metaspace });
    const { ids, keyPosition } = recallPrompt(engine, { anchor: "Mary", index: 1 });
    expect(engine.decode(ids)).toBe("Recall the fact about Mary (1):");
    expect([ids.length, keyPosition]).toEqual([9, 7]);
  });

  it("is refused where no token lies inside the key", async () => {
    const engine = await tokenizer(["Recall the fact about Mary (1):"]);
    expect(() => recallPrompt(engine, { anchor: "Mary", index: 1 })).toThrow(
      'memory: no token of "Recall the fact about Mary (1):" is inside its key "Mary (1)"',
    );
  });
});

describe("the bundled tokenizer", async () => {
  const engine = engineOf(await openText(await nodeModelFiles(BUNDLED), ANY));
  // The file itself says where a token ends: its pre-tokenizer keeps ")" and ":" together.
  it("splits as its own file says", () => {
    expect(readFileSync(`${BUNDLED}/tokenizer.json`, "utf8")).toContain("[^\\\\s\\\\p{L}\\\\p{N}]+");
  });

  it.each(["Mary", "the old Duchy of Normandy", "東京", "🙂", "Zürich", "e\u0301", "a (1) b", "x:"])(
    "has its key token inside the key for %j",
    (anchor) => {
      for (const index of [1, 12]) {
        const { ids, keyPosition } = recallPrompt(engine, { anchor, index });
        const upTo = engine.decode(ids.slice(0, keyPosition + 1));
        const rest = engine.decode(ids.slice(keyPosition + 1));
        expect(upTo + rest).toBe(`Recall the fact about ${keyText({ anchor, index })}:`);
        expect(rest).toMatch(/^\)?:$/);
      }
    },
  );

  it("reads a value as the prompt's continuation", () => {
    const key = { anchor: "Mary", index: 1 };
    const prompt = recallPrompt(engine, key);
    const targets = valueTokens(engine, key, prompt, "Mary moved to the garden.");
    expect(engine.decode([...prompt.ids, ...targets])).toBe(
      "Recall the fact about Mary (1): Mary moved to the garden.",
    );
  });
});
