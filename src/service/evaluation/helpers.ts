/** @file The models that some methods need beside the one that answers, as the page chose them. */

import type { CrossEncoder } from "../../engine/transformersReranker.ts";
import type { TokenKeeper } from "../../engine/transformersCompressor.ts";
import type { Helper } from "../../records/evaluation.ts";
import type { EngineHost } from "../engineHost.ts";
import { createChosen, type Chosen, type Choosing } from "../model/chosen.ts";

export interface HelperModels {
  readonly reranker: CrossEncoder;
  readonly compressor: TokenKeeper;
}

export type HelperSlots = { readonly [H in Helper]: Chosen<HelperModels[H]> };

/** A question and a text that each is tried on before it is used: a wrong model fails before a run, not in its samples. */
const TRIED = ["Where is Mary?", "Mary moved to the garden."] as const;

export function createHelpers(host: EngineHost, idle: Choosing<unknown>["idle"]): HelperSlots {
  return {
    reranker: createChosen<CrossEncoder>(host, {
      what: "cross-encoder",
      idle,
      async open(files, choice, { signal }, guarded) {
        const own = await guarded(() => host.openHelper.reranker(files, choice, signal));
        const helper = {
          ...own,
          score: (question: string, passages: readonly string[]) =>
            guarded(() => own.score(question, passages)),
        };
        return tried(helper, () => helper.score(TRIED[0], [TRIED[1]]));
      },
    }),
    compressor: createChosen<TokenKeeper>(host, {
      what: "compressor",
      idle,
      async open(files, choice, { signal }, guarded) {
        const own = await guarded(() => host.openHelper.compressor(files, choice, signal));
        const helper: TokenKeeper = { ...own, keep: (...input) => guarded(() => own.keep(...input)) };
        return tried(helper, () => helper.keep([helper.tokens(TRIED[1])], signal));
      },
    }),
  };
}

/** `helper`, once `use` of it worked. */
async function tried<T extends { dispose(): Promise<void> }>(
  helper: T,
  use: () => Promise<unknown>,
): Promise<T> {
  try {
    await use();
    return helper;
  } catch (error) {
    await helper.dispose();
    throw error;
  }
}
