/** @file Teaching the open model to write: a writer is trained on the notebook's texts, kept with the model, and can be removed. */

import { useState } from "react";
import { WRITER_FILE, type ModelReady } from "../../../records/model.ts";
import { cellsOf, staleReasons } from "../../../notebook/kinds.ts";
import { type CellProps, useActions, useCanWrite, useNotebook } from "../../app.tsx";
import { Button, Row, Soft, Stack } from "../../controls/basics.tsx";
import { Dialog } from "../../controls/Dialog.tsx";
import { Choice } from "../../controls/Field.tsx";
import { saveFile } from "../../controls/page.ts";
import { counted } from "../../format.ts";

/** Nothing for the bundled model, which ships with its writer, and while another model is set: its buttons would change that one. */
export function WriterPanel({ cell, output }: CellProps<"model"> & { readonly output: ModelReady }) {
  const { removeWriter, writerOf } = useActions();
  const canWrite = useCanWrite();
  const [asking, setAsking] = useState(false);
  const notebook = useNotebook();
  const { source, identity } = output;
  const { id: cellId } = cell;
  if (source.kind === "bundled" || staleReasons(notebook, cell).length > 0) return null;
  const file = writerOf(cellId);
  if (identity.writer === undefined)
    return (
      <Row wrap align="center" gap={3}>
        <Soft>This model has no writer, so each part of a fact takes steps of Adam.</Soft>
        <Button label="Teach this model to write…" disabled={!canWrite} onClick={() => setAsking(true)} />
        {asking && <TeachDialog cellId={cellId} onClose={() => setAsking(false)} />}
      </Row>
    );
  return (
    <Row wrap align="center" gap={3}>
      <Soft>
        A writer gives the vector of a part in one pass.
        {file && " Save it into the folder of the model, which this browser does not keep."}
      </Soft>
      {file && (
        <Button
          label={`Save ${WRITER_FILE}`}
          onClick={() => saveFile(WRITER_FILE, file, "application/octet-stream")}
        />
      )}
      <Button
        look="quiet"
        label="Remove the writer"
        disabled={!canWrite}
        onClick={() => void removeWriter(cellId)}
      />
    </Row>
  );
}

const MINUTES = { 1: "1 minute", 5: "5 minutes", 20: "20 minutes", 60: "an hour" } as const;
type Minutes = `${keyof typeof MINUTES}`;

function TeachDialog({ cellId, onClose }: Readonly<{ cellId: string; onClose: () => void }>) {
  const { teachWriter } = useActions();
  const [minutes, setMinutes] = useState<Minutes>("20");
  const texts = cellsOf(useNotebook(), "source").flatMap(({ input }) => input.documents);
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Teach this model to write"
      description={
        texts.length > 0
          ? `It learns from ${counted(texts.length, "text")} of this notebook.`
          : "It learns from texts, and this notebook has none. Add one to a source cell first."
      }
      actions={
        <>
          <Button look="quiet" label="Cancel" onClick={onClose} />
          <Button
            look="primary"
            label="Teach"
            disabled={texts.length === 0}
            onClick={() => {
              onClose();
              void teachWriter(cellId, Number(minutes));
            }}
          />
        </>
      }
    >
      <Stack gap={3}>
        <p>
          A writer is a small network that gives the vector of a part in one pass. Memorising then takes Adam
          steps only for the parts that it does not write exactly. A novel in the language that you will
          memorise is a good text to learn from.
        </p>
        <Choice label="Time to learn" value={minutes} onChange={setMinutes} options={MINUTES} />
        <Soft>
          The run can be paused or stopped, and the next one goes on from there. A downloaded model keeps its
          training each minute; for your own files it is kept until this tab is closed.
        </Soft>
      </Stack>
    </Dialog>
  );
}
