/** @file The models that methods of a benchmark cell need beside the one that answers: which, and where they come from. */

import { lazy, Suspense } from "react";
import type { EmbedderChoice } from "../../../records/embedder.ts";
import type { Helper } from "../../../records/evaluation.ts";
import { useActions, type CellProps } from "../../app.tsx";
import { Disclosure } from "../../controls/Disclosure.tsx";
import { choiceText } from "../memorize/embedder/EmbedderLine.tsx";
import { isChosen, shownHelpers } from "../../evaluation/choices.ts";
import { HELPER_ROLES } from "./knownHelpers.ts";
import s from "./BenchmarkCell.module.css";

const ModelChoice = lazy(() =>
  import("../chosen/ModelChoice.tsx").then((module) => ({ default: module.ModelChoice })),
);

interface Props extends CellProps<"benchmark"> {
  readonly disabled: boolean;
}

export function HelperForms({ cell, disabled }: Props) {
  return shownHelpers(cell.input).map((helper) => (
    <HelperForm key={helper} cell={cell} disabled={disabled} helper={helper} />
  ));
}

const TITLES: Readonly<Record<Helper, string>> = { reranker: "Cross-encoder", compressor: "Compressor" };
const USES: Readonly<Record<Helper, string>> = {
  reranker: "It reads question and chunk together and orders the chunks that were found.",
  compressor: "It says of every token of a text how likely it is to be kept.",
};

function HelperForm({ cell: { id, input }, disabled, helper }: Props & { readonly helper: Helper }) {
  const { setHelper } = useActions();
  const choice = input.helpers?.[helper] ?? null;
  return (
    <Disclosure
      defaultOpen={!choice}
      summary={
        <>
          <strong>{TITLES[helper]}</strong> <span className={s.soft}>{chosenText(choice)}</span>
        </>
      }
    >
      <div className={s.form}>
        <p className={s.soft}>
          {USES[helper]} It is fetched where it has to be, opened and tried when the cell runs; no text leaves
          this tab.
        </p>
        <Suspense fallback={null}>
          <ModelChoice
            role={HELPER_ROLES[helper]}
            choice={choice}
            disabled={disabled}
            onChange={(next, files) => setHelper(id, helper, next, files)}
          />
        </Suspense>
      </div>
    </Disclosure>
  );
}

const chosenText = (choice: EmbedderChoice | null): string =>
  choice && isChosen(choice) ? choiceText(choice) : "none: methods that need one are left out";
