/** @file The models that some methods of a benchmark cell need in addition to the language model. */

import type { ComponentProps } from "react";
import type { EmbedderChoice } from "../../../records/embedder.ts";
import type { Helper } from "../../../records/evaluation.ts";
import { useActions, type CellProps } from "../../app.tsx";
import { Disclosure } from "../../controls/Disclosure.tsx";
import { lazily } from "../../controls/lazily.tsx";
import { Note, Stack, Text } from "../../controls/layout.tsx";
import { isChosen, shownHelpers } from "../../evaluation/choices.ts";
import type { ModelChoice as Choice, Role } from "../../models/ModelChoice.tsx";
import { choiceText } from "../memorize/embedder/EmbedderLine.tsx";

const ModelChoice = lazily<ComponentProps<typeof Choice>>(
  async () => (await import("../../models/ModelChoice.tsx")).ModelChoice,
);

const ofHub = (repo: string): EmbedderChoice => ({
  from: { kind: "hub", repo, revision: "main" },
  dtype: "q8",
  device: "wasm",
});

const MINI_LM = "Xenova/ms-marco-MiniLM-L-6-v2";
const BERT = "ldenoue/llmlingua-2-bert-base-multilingual-cased-meetingbank";

const HELPERS: Readonly<Record<Helper, Role & { readonly title: string; readonly use: string }>> = {
  reranker: {
    title: "Cross-encoder",
    use: "It reads question and chunk together, and sorts the chunks that were found.",
    what: "cross-encoder",
    none: "None",
    known: [
      { repo: MINI_LM, millions: 22.7, note: "English, the smallest" },
      { repo: "Xenova/bge-reranker-base", millions: 278, note: "English and Chinese" },
    ],
    first: ofHub(MINI_LM),
    example: "Xenova/bge-reranker-large",
  },
  compressor: {
    title: "Compressor",
    use: "It predicts for every token of a text whether to keep it.",
    what: "compressor",
    none: "None",
    known: [
      { repo: BERT, millions: 177.3, note: "LLMLingua-2, small: multilingual BERT" },
      {
        repo: "atjsh/llmlingua-2-js-xlm-roberta-large-meetingbank",
        millions: 558.9,
        note: "LLMLingua-2, as in the paper: XLM-RoBERTa",
      },
    ],
    first: ofHub(BERT),
    example: BERT,
  },
};

interface Props extends CellProps<"benchmark"> {
  readonly disabled: boolean;
}

export function HelperForms({ cell, disabled }: Props) {
  return shownHelpers(cell.input).map((helper) => (
    <HelperForm key={helper} cell={cell} disabled={disabled} helper={helper} />
  ));
}

function HelperForm({ cell: { id, input }, disabled, helper }: Props & { readonly helper: Helper }) {
  const { setHelper } = useActions();
  const { title, use, ...role } = HELPERS[helper];
  const choice = input.helpers?.[helper] ?? null;
  const chosen = choice && isChosen(choice) ? choiceText(choice) : "none: methods that need one are left out";
  return (
    <Disclosure
      defaultOpen={!choice}
      summary={
        <>
          <strong>{title}</strong>{" "}
          <Text tone="soft" size="s">
            {chosen}
          </Text>
        </>
      }
    >
      <Stack gap={4}>
        <Note>{use} It is fetched, opened and tried when the cell runs. No text leaves this tab.</Note>
        <ModelChoice
          role={role}
          choice={choice}
          disabled={disabled}
          onChange={(next, files) => setHelper(id, helper, next, files)}
        />
      </Stack>
    </Disclosure>
  );
}
