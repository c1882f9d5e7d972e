/** @file ρ(κ): the fixed recall prompt as tokens, and the value's tokens as the prompt's continuation. */

import type { Engine, RecallPrompt } from "../engine/engine.ts";
import { assert } from "../lib/assert.ts";
import { fill } from "../lib/format.ts";
import { keyText, type FactKey } from "../records/fact.ts";
import prompts from "../records/prompts.json" with { type: "json" };

export const promptText = (key: FactKey): string => fill(prompts.recall, { key: keyText(key) });

/** ρ(κ) as tokens, with the position of the last token wholly inside the key. @throws if there is no such token */
export function recallPrompt(engine: Engine, key: FactKey): RecallPrompt {
  const text = promptText(key);
  const ids = engine.encode(text);
  // Counted from the end: what precedes the key's end may be shorter in tokens than in text (NFC, a dropped space).
  const behind = text.length - (text.indexOf(keyText(key)) + keyText(key).length);
  let keyPosition = ids.length - 1;
  while (keyPosition > 0 && engine.decode(ids.slice(keyPosition + 1)).length < behind) keyPosition--;
  assert(keyPosition > 0, () => `memory: no token of "${text}" is inside its key "${keyText(key)}"`);
  return { ids, keyPosition };
}

/** The final key token of a prompt as text, e.g. ")"; if the tokenizer joins ")" and ":", the token before it. */
export const keyToken = (engine: Engine, { ids, keyPosition }: RecallPrompt): string =>
  engine.decode([ids[keyPosition]!]);

/** v as tokens, as the continuation of the prompt. If the joint text changes the prompt's tokens, it is encoded alone. */
export function valueTokens(engine: Engine, key: FactKey, prompt: RecallPrompt, value: string): number[] {
  const joint = engine.encode(`${promptText(key)} ${value}`);
  if (prompt.ids.every((id, i) => joint[i] === id)) return joint.slice(prompt.ids.length);
  const [start, alone] = [engine.encode(""), engine.encode(` ${value}`)];
  return start.every((id, i) => alone[i] === id) ? alone.slice(start.length) : alone;
}
