/** @file The choice of a text embedder, and how it was found to work. */

import { useEffect } from "react";
import type { EmbedderChoice } from "../../../../records/embedder.ts";
import { choiceNamed, sameEmbedder } from "../../../../records/embedderName.ts";
import { useActions, useApp, type CellProps } from "../../../app.tsx";
import { Button } from "../../../controls/Button.tsx";
import { ModelChoice, type Role } from "../../chosen/ModelChoice.tsx";
import { floorSentence } from "./embedderText.ts";
import { FIRST_HUB, KNOWN_EMBEDDERS } from "./knownEmbedders.ts";
import { Stack, Text } from "../../../controls/layout.tsx";

export interface EmbedderFormProps extends CellProps<"memorize"> {
  readonly disabled: boolean;
}

const EMBEDDER: Role = {
  what: "text embedder",
  none: "The model itself",
  known: KNOWN_EMBEDDERS,
  first: FIRST_HUB,
  example: "onnx-community/gte-multilingual-base",
};

export function EmbedderForm({ cell, disabled }: EmbedderFormProps) {
  const { setEmbedder, setEmbedderFiles } = useActions();
  const choice = cell.input.embedder ?? null;
  return (
    <Stack gap={3} measure>
      <Text as="p" tone="soft">
        It finds the facts that a question is about where they share no word. A memory is indexed by one
        embedder, and asked with the same.
      </Text>
      <ModelChoice
        role={EMBEDDER}
        choice={choice}
        disabled={disabled}
        onChange={(next, files) => {
          if (next && files) setEmbedderFiles(cell.id, next, files);
          else setEmbedder(cell.id, next);
        }}
      >
        <State cell={cell} choice={choice} disabled={disabled} />
      </ModelChoice>
    </Stack>
  );
}

/** Whether it is in use, with its floor, or when it will be. */
function State({ cell, choice, disabled }: EmbedderFormProps & { readonly choice: EmbedderChoice | null }) {
  const { openEmbedder, showEmbedder } = useActions();
  const used = useApp(({ device }) => device.embedder);
  const model = useApp(({ device }) => device.model);
  const madeAt = cell.output?.stamp.at;
  // The model's own floor is known after its first text.
  useEffect(() => {
    if (model) void showEmbedder().catch(() => undefined);
  }, [model, madeAt, showEmbedder]);
  const named = used ? choiceNamed(used.name) : undefined;
  if (used && named !== undefined && sameEmbedder(named, choice))
    return (
      <Text as="p" tone="soft" role="status">
        In use{choice ? ` and tried: ${used.name}` : ""}. {floorSentence(used)}
      </Text>
    );
  if (!choice) return null;
  const empty = choice.from.kind === "files" && choice.from.name === "";
  return (
    <Text as="p" tone="soft">
      It is {choice.from.kind === "hub" ? "fetched, opened" : "opened"} and tried on made pairs when the cell
      runs, or now. No text leaves this tab.{" "}
      <Button size="s" disabled={disabled || empty} onClick={() => void openEmbedder(cell.id)}>
        Open and try it
      </Button>
    </Text>
  );
}
