/** @file Models that some methods of a benchmark cell need beside the one that answers: in the engine before its run. */

import { sha256Hex } from "../../lib/hash.ts";
import { HELPERS, type Helper } from "../../records/evaluation.ts";
import type { ChooseEmbedder } from "../../service/types.ts";
import type { RunPlan } from "../../rpc/evaluation.ts";
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

/** The run that a plan's samples belong to: the plan's own, or another one if that was started with other helpers. */
export async function runOf(core: Core, notebook: string, { run, header }: RunPlan): Promise<string> {
  const listed = await core.library().runs({ notebook });
  const former = listed.find(({ id }) => id === run)?.header;
  if (former?.kind !== "evaluation" || header.kind !== "evaluation") return run;
  // A run without a helper continues with any.
  const agree = (helper: Helper): boolean =>
    former[helper] === null || header[helper] === null || former[helper] === header[helper];
  if (HELPERS.every(agree)) return run;
  return `evaluation-${sha256Hex(JSON.stringify([run, ...HELPERS.map((helper) => header[helper])])).slice(0, 24)}`;
}
