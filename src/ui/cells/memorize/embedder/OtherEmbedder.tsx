/** @file A memory that was indexed by another text embedder than its cell has. */

import { choiceNamed, sameEmbedder, saysWeights } from "../../../../records/embedderName.ts";
import { useActions, type CellProps } from "../../../app.tsx";
import { Notice } from "../../../controls/Badge.tsx";
import { Button } from "../../../controls/Button.tsx";
import { indexedByText } from "./embedderText.ts";

const UNKNOWN_WEIGHTS =
  "The memory remembers only the name of its embedder’s folder, as older versions did: choose the same files as then. " +
  "With others of that name questions would lead nowhere.";

/** Said where the memory was indexed by another embedder than the cell has: questions would only fail. */
export function OtherEmbedder({
  cell,
  disabled,
  indexed,
}: CellProps<"memorize"> & {
  readonly disabled: boolean;
  /** The name that the memory remembers. */
  readonly indexed: string;
}) {
  const { takeMemorysEmbedder } = useActions();
  const known = choiceNamed(indexed);
  if (known === undefined) return null;
  if (sameEmbedder(known, cell.input.embedder ?? null))
    return saysWeights(indexed) ? null : <Notice tone="ochre">{UNKNOWN_WEIGHTS}</Notice>;
  return (
    <Notice
      tone="ochre"
      title="The memory has another text embedder"
      actions={
        <Button size="s" disabled={disabled} onClick={() => void takeMemorysEmbedder(cell.id)}>
          Take that one
        </Button>
      }
    >
      It was indexed by {indexedByText(indexed)}: questions and further texts need the same.
    </Notice>
  );
}
