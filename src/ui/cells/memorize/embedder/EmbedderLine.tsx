/** @file One line with the text embedder of a memorize cell; the form is loaded when the line is opened. */

import { choiceNamed, sameEmbedder, type EmbedderChoice } from "../../../../records/embedder.ts";
import { useActions, useApp, type FormProps } from "../../../app.tsx";
import { Notice, Button } from "../../../controls/basics.tsx";
import { Disclosure } from "../../../controls/Dialog.tsx";
import { lazily } from "../../../controls/useAsync.tsx";

const EmbedderForm = lazily(async () => (await import("./EmbedderForm.tsx")).EmbedderForm);

export function EmbedderLine({ cell, disabled }: FormProps<"memorize">) {
  const indexed = useApp(({ memory }) => (memory.info?.facts ? memory.info.embedder : null));
  return (
    <div>
      <Disclosure summary={<strong>Text embedder</strong>} note={choiceText(cell.input.embedder ?? null)}>
        <EmbedderForm cell={cell} disabled={disabled} />
      </Disclosure>
      {indexed !== null && <OtherEmbedder cell={cell} disabled={disabled} indexed={indexed} />}
    </div>
  );
}

function OtherEmbedder({ cell, disabled, indexed }: FormProps<"memorize"> & { readonly indexed: string }) {
  const { takeMemorysEmbedder } = useActions();
  const known = choiceNamed(indexed);
  return known === undefined || sameEmbedder(known, cell.input.embedder ?? null) ? null : (
    <Notice
      tone="ochre"
      title="The memory uses a different text embedder"
      actions={
        <Button size="s" disabled={disabled} onClick={() => void takeMemorysEmbedder(cell.id)}>
          Use the memory’s embedder
        </Button>
      }
    >
      It was indexed by {indexedByText(indexed)}. Questions and new texts need the same embedder.
    </Notice>
  );
}

export function choiceText(choice: EmbedderChoice | null): string {
  if (!choice) return "the model itself";
  const { from, dtype } = choice;
  if (from.kind === "files") return `${from.name || "files"} (${dtype})`;
  return `${from.repo}${from.revision === "main" ? "" : ` at ${from.revision}`} (${dtype})`;
}

export function indexedByText(name: string): string {
  const choice = choiceNamed(name);
  return choice === undefined ? `“${name}”` : choiceText(choice);
}
