/** @file Models that some methods of a benchmark cell need beside the one that answers: in the engine before its run. */

import { sha256Hex } from "../../lib/hash.ts";
import { HELPERS, type EvaluationHeader, type Helper } from "../../records/evaluation.ts";
import type { ChooseEmbedder } from "../../service/types.ts";
import type { EvaluationPlan } from "../../rpc/evaluation.ts";
import { cellOf, helperKey, set, type Core } from "../core.ts";
import type { RunContext } from "../runs.ts";
import { sameChoice, withFiles } from "./embedder.ts";

const NAMES: Readonly<Record<Helper, string>> = {
  reranker: "cross-encoder",
  compressor: "compressor",
};

/** Opens those that the cell of `context` has chosen, and closes those that it has not. @throws where opening fails */
export async function ensureHelpers({ core, cellId, signal, report }: RunContext): Promise<void> {
  for (const helper of HELPERS) {
    const argument = chosen(core, cellId, helper);
    if (sameChoice(argument, core.tab.helpers.get(helper) ?? { choice: null })) continue;
    await core
      .engine()
      .chooseHelper(
        { helper, ...argument },
        { signal, onProgress: (load) => report({ kind: "load", load }) },
      );
    core.tab.helpers.set(helper, argument);
    set(core, ({ device }) => ({ device: { ...device, cached: null } }));
  }
}

/** @throws when files must be dropped again */
function chosen(core: Core, cellId: string, helper: Helper): ChooseEmbedder {
  const choice = cellOf(core, cellId, "benchmark").input.helpers?.[helper];
  if (!choice || (choice.from.kind === "files" && choice.from.name === "")) return { choice: null };
  const files = core.tab.helperFiles.get(helperKey(cellId, helper));
  return withFiles(choice, files, NAMES[helper], "the benchmark cell again, under its methods");
}

/**
 * The run that a plan's samples belong to: the plan's own, unless that was begun with another helper, whose samples have
 * the same names.
 */
export async function runOf(core: Core, notebook: string, { run, header }: EvaluationPlan): Promise<string> {
  const listed = await core.library().evaluations({ notebook });
  const lying = listed.find(({ id }) => id === run)?.header;
  if (!lying || HELPERS.every((helper) => agree(lying[helper], header[helper]))) return run;
  return `evaluation-${sha256Hex(JSON.stringify([run, ...HELPERS.map((helper) => header[helper])])).slice(0, 24)}`;
}

/** A run without a helper goes on with any. */
const agree = (a: EvaluationHeader[Helper], b: EvaluationHeader[Helper]): boolean =>
  a === null || b === null || a === b;
