/** @file Every method by name; a new one is its file and a line here. */

import { assert, messageOf } from "../../lib/assert.ts";
import { latest } from "./latest.ts";
import { llmlingua } from "./llmlingua.ts";
import type { Method, Need } from "./method.ts";
import { extractedOracle, ours, routedOracle, storedOracle } from "./ours.ts";
import { bm25, bm25Equal, dense, overAnchors, reranked } from "./rag.ts";
import { closedBook, fullContext } from "./references.ts";
import { middleCut, sinkPrompt, truncation } from "./truncation.ts";

export const METHODS: Readonly<Record<string, Method>> = {
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

/** The method of `methods` that a run calls by this name, option and all; undefined where there is none. */
export function methodNamed(
  name: string,
  methods: Readonly<Record<string, Method>> = METHODS,
): Method | undefined {
  const [base] = partsOf(name);
  // "constructor" is the name of something else.
  return Object.hasOwn(methods, base) ? methods[base] : undefined;
}

/** "truncation:2048" -> its name, and what stands behind the first colon. */
export function partsOf(name: string): readonly [base: string, option: string | undefined] {
  const [, base = name, option] = /^([^:]*):(.*)$/s.exec(name) ?? [];
  return [base, option];
}

/** A method as a run names it, "truncation:2048". */
export interface ChosenMethod {
  readonly name: string;
  readonly method: Method;
  readonly option: string | undefined;
}

/**
 * The methods of these names.
 * @throws on a name that no method of `methods` has, and on an option that a method does not take, or not as it stands
 */
export function chosenMethods(
  names: readonly string[],
  methods: Readonly<Record<string, Method>> = METHODS,
): ChosenMethod[] {
  return [...new Set(names)].map((name) => {
    const [base, option] = partsOf(name);
    const method = methodNamed(name, methods);
    assert(
      method,
      () => `evaluate: there is no method "${base}"; there are ${Object.keys(methods).join(", ")}`,
    );
    assert(
      option === undefined || method.option,
      () => `evaluate: ${base} takes nothing behind a colon, "${option}" is given; leave it out`,
    );
    if (option !== undefined) checked(name, option, method);
    return { name, method, option };
  });
}

function checked(name: string, option: string, method: Method): void {
  try {
    method.option?.check(option);
  } catch (error) {
    throw new Error(`evaluate: ${name}: ${messageOf(error)}`, { cause: error });
  }
}

/** What a need is called, and what a person does about it. */
export const NEEDS: Readonly<Record<Need, string>> = {
  embedder: "a text embedder (--embedder DIR or hub:OWNER/NAME; BGE-small is about 130 MB, BGE-M3 2.3 GB)",
  reranker: "a cross-encoder (--reranker DIR or hub:OWNER/NAME; BGE-reranker-base is about 1.1 GB)",
  compressor:
    "a compressor of LLMLingua-2 (--compressor DIR or hub:OWNER/NAME; the multilingual BERT is about 0.7 GB, XLM-RoBERTa 2.2 GB)",
};

/** The methods that can run with what is at hand, and what each of the others lacks, in the words of `needs`. */
export function able(
  chosen: readonly ChosenMethod[],
  has: ReadonlySet<Need>,
  needs = NEEDS,
): { readonly able: readonly ChosenMethod[]; readonly leftOut: Readonly<Record<string, string>> } {
  const lacking = ({ method }: ChosenMethod) => method.needs.filter((need) => !has.has(need));
  return {
    able: chosen.filter((one) => lacking(one).length === 0),
    leftOut: Object.fromEntries(
      chosen.flatMap((one) => {
        const missing = lacking(one);
        return missing.length === 0 ? [] : [[one.name, missing.map((need) => needs[need]).join(" and ")]];
      }),
    ),
  };
}
