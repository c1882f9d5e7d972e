/** @file Brings a memory in from a file: beside what is there, or in its place; afterwards, what came of it. */

import { useState } from "react";
import { withoutArea } from "../../../lib/format.ts";
import { Button } from "../../controls/Button.tsx";
import { Notice } from "../../controls/Badge.tsx";
import { Dialog } from "../../controls/Dialog.tsx";
import { Progress } from "../../controls/Progress.tsx";
import { bytes, counted } from "../../format.ts";
import type { ImportMode, ImportResult, MemoryFiles } from "./memoryFiles.ts";
import s from "./ImportDialog.module.css";

type Step =
  | { readonly kind: "ask" | "working" }
  | { readonly kind: "done"; readonly result: ImportResult }
  | { readonly kind: "failed"; readonly message: string };

export function ImportDialog({
  file,
  stored,
  importMemory,
  onClose,
}: {
  readonly file: File;
  /** Facts in the memory now. */
  readonly stored: number;
  readonly importMemory: MemoryFiles["importMemory"];
  readonly onClose: () => void;
}) {
  const [step, setStep] = useState<Step>({ kind: "ask" });
  const run = async (mode: ImportMode): Promise<void> => {
    setStep({ kind: "working" });
    try {
      const result = await importMemory(new Uint8Array(await file.arrayBuffer()), mode);
      setStep({ kind: "done", result });
    } catch (error) {
      setStep({ kind: "failed", message: withoutArea((error as Error).message) });
    }
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        // What is being written is seen through to its end.
        if (!open && step.kind !== "working") onClose();
      }}
      title="Import a memory"
      description={`${file.name}, ${bytes(file.size)}`}
      actions={
        step.kind === "ask" ? (
          <Choices stored={stored} onChoose={(mode) => void run(mode)} onClose={onClose} />
        ) : (
          <Button onClick={onClose} disabled={step.kind === "working"}>
            Close
          </Button>
        )
      }
    >
      <Outcome step={step} stored={stored} />
    </Dialog>
  );
}

function Choices({
  stored,
  onChoose,
  onClose,
}: {
  readonly stored: number;
  readonly onChoose: (mode: ImportMode) => void;
  readonly onClose: () => void;
}) {
  return (
    <>
      <Button look="quiet" onClick={onClose}>
        Cancel
      </Button>
      {stored > 0 && (
        <Button look="danger" onClick={() => onChoose("replace")}>
          Replace {counted(stored, "fact")}
        </Button>
      )}
      <Button look="primary" onClick={() => onChoose("merge")}>
        {stored > 0 ? "Merge" : "Import"}
      </Button>
    </>
  );
}

function Outcome({ step, stored }: { readonly step: Step; readonly stored: number }) {
  if (step.kind === "working")
    return <Progress label="Checking the file and writing" done={0} total={null} />;
  if (step.kind === "failed")
    return (
      <Notice tone="rubric" role="alert" title="Nothing was imported.">
        {step.message}
      </Notice>
    );
  if (step.kind === "done") {
    const { added, skipped, notes } = step.result;
    return (
      <div role="status" className={s.outcome}>
        <p>
          {counted(added, "fact")} added, {counted(skipped, "fact")} skipped.
        </p>
        {notes.length > 0 && (
          <ul className={s.notes}>
            {notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        )}
      </div>
    );
  }
  return (
    <p>
      {stored === 0
        ? "This memory is empty. The file must come from the same frozen model, because its vectors mean nothing to another."
        : `This memory holds ${counted(stored, "fact")}. Merging adds the facts of the file that are not here and skips the others; replacing removes what is here first. The file must come from the same frozen model.`}
    </p>
  );
}
