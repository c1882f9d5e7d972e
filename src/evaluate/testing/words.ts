/** @file Test support: an engine without a model whose tokens are words, and what methods and runs need around it. */

import { fakeEngine, fakeValues } from "../../engine/testing/fakeEngine.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Budgets } from "../../records/evaluation.ts";
import { SHARP, type MethodParams } from "../../records/params.ts";
import { additionsTo } from "../../store/additions.ts";
import { inMemoryStore } from "../../store/inMemory.ts";
import { ownTurn } from "../asking.ts";
import { budgetsFor } from "../budgets.ts";
import type { MethodContext } from "../methods/method.ts";
import { Shelf } from "../shelf.ts";

/** An engine that says what `reply` makes of a turn; a token is a word with the white space in front of it. */
export function wordEngine(reply: (turn: string) => string, window = 1000): Engine {
  const words: string[] = [];
  const ids = new Map<string, number>();
  const idOf = (word: string): number => {
    const known = ids.get(word) ?? words.push(word) - 1;
    ids.set(word, known);
    return known;
  };
  const encode = (text: string): number[] => (text.match(/\s*\S+/g) ?? []).map(idOf);
  const decode = (tokens: readonly number[]): string => tokens.map((id) => words[id]).join("");
  const { model, ...values } = fakeValues({ encode, decode, chat: encode });
  const { engine } = fakeEngine({ ...values, model: { ...model, window } });
  const generate: Engine["generate"] = (turns) => Promise.resolve(turns.map(reply));
  return Object.create(engine, { generate: { value: generate } }) as Engine;
}

/** What methods run on, over `engine`; times are 0. */
export function methodContext(
  engine: Engine,
  over: Partial<MethodContext> & { readonly budgets?: Budgets; readonly params?: MethodParams } = {},
): MethodContext {
  const { now = () => 0 } = over;
  return {
    engine,
    budgets: budgetsFor(engine.model.window, 8),
    params: SHARP,
    turn: ownTurn,
    own: true,
    shelf: new Shelf({
      engine,
      now,
      date: () => "2026-01-01T00:00:00Z",
      newStore: () => inMemoryStore(),
      additionsTo,
    }),
    reranker: null,
    compressor: null,
    now,
    ...over,
  };
}
