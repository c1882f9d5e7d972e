/** @file The note that the saved outputs of a cell hold words of the memory, with the button that clears them. */

import { holdsWords } from "../../../notebook/clearWords.ts";
import type { Cell } from "../../../records/notebook.ts";
import { useActions, useCanWrite } from "../../app.tsx";
import { Button } from "../../controls/basics.tsx";
import { Note, Row } from "../../controls/layout.tsx";

export function KeptWords({ cell, what }: { readonly cell: Cell; readonly what: string }) {
  const { clearWords } = useActions();
  const canWrite = useCanWrite();
  if (!holdsWords(cell)) return null;
  return (
    <Row wrap align="center" gap="0.25rem 0.75rem">
      <Note>{what} are saved with the notebook, in words.</Note>
      {canWrite && (
        <Button
          look="quiet"
          size="s"
          label="Clear the words"
          title="Clears them from all answers, certificates and changes of this notebook"
          onClick={clearWords}
        />
      )}
    </Row>
  );
}
