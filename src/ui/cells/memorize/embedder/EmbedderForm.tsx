/** @file The form that chooses a text embedder and shows whether it works. */

import { useEffect } from "react";
import {
  choiceNamed,
  sameEmbedder,
  type EmbedderChoice,
  type EmbedderReady,
} from "../../../../records/embedder.ts";
import { useActions, useApp, type FormProps } from "../../../app.tsx";
import { Button, Stack, Text } from "../../../controls/basics.tsx";
import { ModelChoice, type Role, type KnownModel } from "../../../models/ModelChoice.tsx";

export const KNOWN_EMBEDDERS: readonly KnownModel[] = [
  { repo: "Xenova/all-MiniLM-L6-v2", millions: 22.7, note: "English, the smallest" },
  { repo: "Xenova/bge-small-en-v1.5", millions: 33.4, note: "English" },
  { repo: "Xenova/gte-small", millions: 33.4, note: "English" },
  { repo: "Xenova/e5-small-v2", millions: 33.4, note: "English" },
  { repo: "Xenova/multilingual-e5-small", millions: 117.7, note: "About 100 languages" },
  { repo: "Xenova/bge-m3", millions: 567.8, note: "Over 100 languages, texts of 8,192 tokens" },
];

/** The proposal: small enough for any machine, and trained on questions and passages. */
export const FIRST_HUB: EmbedderChoice = {
  from: { kind: "hub", repo: "Xenova/bge-small-en-v1.5", revision: "main" },
  dtype: "q8",
  device: "wasm",
};

const EMBEDDER: Role = {
  what: "text embedder",
  none: "The model itself",
  known: KNOWN_EMBEDDERS,
  first: FIRST_HUB,
  example: "onnx-community/gte-multilingual-base",
};

export function EmbedderForm({ cell, disabled }: FormProps<"memorize">) {
  const { setEmbedder } = useActions();
  const choice = cell.input.embedder ?? null;
  return (
    <Stack gap={3} measure>
      <Text as="p" tone="soft">
        The embedder finds facts that share no word with the question. A memory is indexed and searched with
        the same embedder.
      </Text>
      <ModelChoice
        role={EMBEDDER}
        choice={choice}
        disabled={disabled}
        onChange={(next, files) => setEmbedder(cell.id, next, files)}
      >
        <State cell={cell} choice={choice} disabled={disabled} />
      </ModelChoice>
    </Stack>
  );
}

function State({
  cell,
  choice,
  disabled,
}: FormProps<"memorize"> & { readonly choice: EmbedderChoice | null }) {
  const { openEmbedder, showEmbedder } = useActions();
  const used = useApp(({ device }) => device.embedder);
  const model = useApp(({ device }) => device.model);
  const madeAt = cell.output?.stamp.at;
  // The threshold of the model itself is known after its first text.
  useEffect(() => {
    if (model) void showEmbedder().catch(() => undefined);
  }, [model, madeAt, showEmbedder]);
  const named = used ? choiceNamed(used.name) : undefined;
  if (used && named !== undefined && sameEmbedder(named, choice))
    return (
      <Text as="p" tone="soft" role="status">
        In use{choice ? ` and tested: ${used.name}` : ""}. {floorSentence(used)}
      </Text>
    );
  if (!choice) return null;
  const empty = choice.from.kind === "files" && choice.from.name === "";
  return (
    <Text as="p" tone="soft">
      It is {choice.from.kind === "hub" ? "downloaded, opened" : "opened"} and tested on sample pairs when the
      cell runs, or now. No text leaves this tab.{" "}
      <Button size="s" disabled={disabled || empty} onClick={() => void openEmbedder(cell.id)}>
        Open and test
      </Button>
    </Text>
  );
}

export function floorSentence({ denseFloor }: EmbedderReady): string {
  if (denseFloor === null) return "The similarity threshold is calibrated with the first text.";
  if (denseFloor > 1)
    return "It cannot separate half of the test pairs, so similarity only counts together with shared words.";
  return `Calibrated on test pairs: two texts count as near from a cosine of ${denseFloor.toFixed(2)}.`;
}
