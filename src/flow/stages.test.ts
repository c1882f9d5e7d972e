import { expect, it } from "vitest";
import { useBundled } from "../engine/testing/useBundled.ts";
import { probeFacts } from "./layerProbe.ts";
import { madeTokenizer } from "../memory/testing/tokenizers.ts";
import { fitting } from "./readTexts.ts";

const opened = useBundled();

it("whether a fact fits the window counts characters in codes as the tokens that their codes take", () => {
  const { engine } = opened;
  // As bytes it fits, as codes it does not.
  const fact = { ...probeFacts()[0]!, value: `Mary wrote ${"中".repeat(engine.model.window / 4)} on it.` };
  expect(fitting(engine, [fact], { spelling: "plain" })).toEqual({ facts: [fact], skipped: [] });
  const { facts, skipped } = fitting(engine, [fact], { spelling: "codes" });
  expect(facts).toEqual([]);
  expect(skipped).toEqual([{ value: fact.value, why: expect.stringMatching(/the window holds 2,048/) }]);
});

it("leaves out what the tokenizer would give back as other characters, unless it has codes for them", async () => {
  const text = await madeTokenizer(["é"], { normalizer: { type: "NFC" } });
  const engine = Object.assign(text, { model: { window: 500 } });
  const value = "Ame\u0301lie went to the cafe\u0301.";
  const facts = [{ ...probeFacts()[0]!, value }];
  expect(fitting(engine, facts, { spelling: "codes" }).skipped).toEqual([]);
  const why = expect.stringMatching(/tokenizer changes characters of it/) as unknown;
  expect(fitting(engine, facts, { spelling: "plain" })).toEqual({ facts: [], skipped: [{ value, why }] });
});
