/** @file What routes to the memory, in one line; the choice itself is fetched when the line is opened. */

import { lazy, Suspense } from "react";
import { choiceNamed, sameEmbedder } from "../../../../records/embedder.ts";
import { useActions, useApp, type CellProps } from "../../../app.tsx";
import { Notice } from "../../../controls/Badge.tsx";
import { Button } from "../../../controls/Button.tsx";
import { Disclosure } from "../../../controls/Disclosure.tsx";
import { choiceText, indexedByText } from "./embedderText.ts";
import s from "../Parameters.module.css";

const EmbedderForm = lazy(() =>
  import("./EmbedderForm.tsx").then((module) => ({ default: module.EmbedderForm })),
);

export function EmbedderLine({ cell, disabled }: CellProps<"memorize"> & { readonly disabled: boolean }) {
  return (
    <div>
      <Disclosure
        summary={
          <>
            <strong>Text embedder</strong>{" "}
            <span className={s.line}>{choiceText(cell.input.embedder ?? null)}</span>
          </>
        }
      >
        <Suspense fallback={null}>
          <EmbedderForm cell={cell} disabled={disabled} />
        </Suspense>
      </Disclosure>
      <OtherEmbedder cell={cell} disabled={disabled} />
    </div>
  );
}

/** Said where the memory was indexed by another embedder than the cell has: questions would only fail. */
function OtherEmbedder({ cell, disabled }: CellProps<"memorize"> & { readonly disabled: boolean }) {
  const { takeMemorysEmbedder } = useActions();
  const indexed = useApp(({ memory }) => (memory.info?.facts ? memory.info.embedder : null));
  const known = indexed === null ? undefined : choiceNamed(indexed);
  if (indexed === null || known === undefined || sameEmbedder(known, cell.input.embedder ?? null))
    return null;
  return (
    <Notice
      tone="ochre"
      title="The memory has another text embedder"
      actions={
        <Button size="s" disabled={disabled} onClick={() => takeMemorysEmbedder(cell.id)}>
          Take that one
        </Button>
      }
    >
      It was indexed by {indexedByText(indexed)}: questions and further texts need the same.
    </Notice>
  );
}
