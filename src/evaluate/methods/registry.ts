/** @file All methods by name. A new method needs a line here. */

import { assert, messageOf } from "../../lib/assert.ts";
import type { Method, Need } from "./method.ts";
import { extractedOracle, ours, routedOracle, storedOracle } from "./ours.ts";
import { bm25, bm25Equal, dense, overAnchors, reranked } from "./rag.ts";
import {
  closedBook,
  fullContext,
  latest,
  llmlingua,
  middleCut,
  sinkPrompt,
  truncation,
} from "./textMethods.ts";

type Methods = Readonly<Record<string, Method>>;

export const METHODS: Methods = {
  ours,
  "ours-stored": storedOracle,
  "ours-routed": routedOracle,
  "ours-extracted": extractedOracle,
  truncation,
  middle: middleCut,
  sinks: sinkPrompt,
  full: fullContext,
  closed: closedBook,
  rag: bm25,
  "rag-equal": bm25Equal,
  "rag-anchors": overAnchors,
  "rag-dense": dense,
  "rag-reranked": reranked,
  llmlingua,
  latest,
};

/** The method of a name, which may have an option; undefined if there is none. */
export function methodNamed(name: string, methods: Methods = METHODS): Method | undefined {
  const [base] = partsOf(name);
  // "constructor" is not a method.
  return Object.hasOwn(methods, base) ? methods[base] : undefined;
}

/** "truncation:2048" -> its name and option. */
export function partsOf(name: string): readonly [base: string, option: string | undefined] {
  const [, base = name, option] = /^([^:]*):(.*)$/s.exec(name) ?? [];
  return [base, option];
}

/** A method with its name in a run, "truncation:2048". */
export interface ChosenMethod {
  readonly name: string;
  readonly method: Method;
  readonly option: string | undefined;
}

/** The methods of these names. @throws on an unknown name, and on an option that the method does not accept */
export const chosenMethods = (names: readonly string[], methods: Methods = METHODS): ChosenMethod[] =>
  [...new Set(names)].map((name) => {
    const [base, option] = partsOf(name);
    const method = methodNamed(name, methods);
    assert(
      method,
      () => `evaluate: unknown method "${base}"; expected one of ${Object.keys(methods).join(", ")}`,
    );
    assert(
      option === undefined || method.option,
      () => `evaluate: ${base} has no option; leave out ":${option}"`,
    );
    if (option !== undefined) checked(name, option, method);
    return { name, method, option };
  });

function checked(name: string, option: string, method: Method): void {
  try {
    method.option?.check(option);
  } catch (error) {
    throw new Error(`evaluate: ${name}: ${messageOf(error)}`, { cause: error });
  }
}

/** The name of a need, and how to meet it on the command line. */
export const NEEDS: Readonly<Record<Need, string>> = {
  embedder: "a text embedder (--embedder DIR or hub:OWNER/NAME; BGE-small is about 130 MB, BGE-M3 2.3 GB)",
  reranker: "a cross-encoder (--reranker DIR or hub:OWNER/NAME; BGE-reranker-base is about 1.1 GB)",
  compressor:
    "a compressor of LLMLingua-2 (--compressor DIR or hub:OWNER/NAME; the multilingual BERT is about 0.7 GB, XLM-RoBERTa 2.2 GB)",
};

/** The methods whose needs are met, and the missing needs of the others, in the words of `needs`. */
export function able(chosen: readonly ChosenMethod[], has: ReadonlySet<Need>, needs = NEEDS) {
  const lacking = ({ method }: ChosenMethod) => method.needs.filter((need) => !has.has(need));
  return {
    able: chosen.filter((one) => lacking(one).length === 0),
    leftOut: Object.fromEntries<string>(
      chosen.flatMap((one) => {
        const missing = lacking(one);
        return missing.length === 0 ? [] : [[one.name, missing.map((need) => needs[need]).join(" and ")]];
      }),
    ),
  };
}
