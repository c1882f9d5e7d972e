/** @file Imports a memory from a file: checks it, merges it or replaces the current one, and reports the result. */

import { useState } from "react";
import { toldOf } from "../../../lib/format.ts";
import { Button } from "../../controls/Button.tsx";
import { Notice } from "../../controls/Badge.tsx";
import { Dialog } from "../../controls/Dialog.tsx";
import { Progress } from "../../controls/Progress.tsx";
import { useAsync, type Async } from "../../controls/useAsync.ts";
import { bytes, counted } from "../../format.ts";
import type { CheckedArchive, ImportMode, ImportResult, MemoryFiles } from "./exportFacts.ts";
import { Stack, Text } from "../../controls/layout.tsx";

type Step =
  | { readonly kind: "ask" | "working" }
  | { readonly kind: "done"; readonly result: ImportResult }
  | { readonly kind: "failed"; readonly message: string };

export function ImportDialog({
  file,
  stored,
  files,
  onClose,
}: {
  readonly file: File;
  /** Facts in the memory now. */
  readonly stored: number;
  readonly files: Pick<MemoryFiles, "checkArchive" | "importMemory">;
  readonly onClose: () => void;
}) {
  const [step, setStep] = useState<Step>({ kind: "ask" });
  const checked = useAsync(() => files.checkArchive(file), [file, files]);
  const run = async (mode: ImportMode): Promise<void> => {
    setStep({ kind: "working" });
    try {
      const result = await files.importMemory(file, mode);
      setStep({ kind: "done", result });
    } catch (error) {
      setStep({ kind: "failed", message: toldOf(error) });
    }
  };
  const asking = step.kind === "ask" && checked.status === "there" ? checked.value : null;
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        // A write in progress is always completed.
        if (!open && step.kind !== "working") onClose();
      }}
      title="Import a memory"
      description={`${file.name}, ${bytes(file.size)}`}
      actions={
        asking ? (
          <Choices stored={stored} onChoose={(mode) => void run(mode)} onClose={onClose} />
        ) : (
          <Button onClick={onClose} disabled={step.kind === "working"}>
            Close
          </Button>
        )
      }
    >
      {step.kind === "ask" ? <Found checked={checked} stored={stored} /> : <Outcome step={step} />}
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

/** The content of the file and the available actions. */
function Found({ checked, stored }: { readonly checked: Async<CheckedArchive>; readonly stored: number }) {
  if (checked.status === "failed") return <Refusal message={checked.message} />;
  if (checked.status !== "there") return <Progress label="Checking the file" done={0} total={null} />;
  const { facts, pending, model, titles } = checked.value;
  const waiting = pending > 0 ? `, and ${counted(pending, "fact")} still to be encoded` : "";
  return (
    <>
      <p>
        The file holds {counted(facts, "fact")} of {counted(titles.length, "text")}
        {waiting}, made with the model {model}. Its vectors mean nothing to another.
      </p>
      <p>
        {stored === 0
          ? "This memory is empty."
          : `This memory holds ${counted(stored, "fact")}. Merging adds the facts of the file that are not here and skips the others; replacing removes what is here first.`}
      </p>
    </>
  );
}

const Refusal = ({ message }: { readonly message: string }) => (
  <Notice tone="rubric" role="alert" title="Nothing was imported.">
    {message}
  </Notice>
);

function Outcome({ step }: { readonly step: Step }) {
  if (step.kind === "failed") return <Refusal message={step.message} />;
  if (step.kind === "done") {
    const { added, skipped, notes } = step.result;
    return (
      <Stack role="status" gap="0.4rem">
        <p>
          {counted(added, "fact")} added, {counted(skipped, "fact")} skipped.
        </p>
        {notes.length > 0 && (
          <Text as="ul" tone="soft" size="s" style={{ paddingLeft: "1.1rem" }}>
            {notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </Text>
        )}
      </Stack>
    );
  }
  return <Progress label="Writing" done={0} total={null} />;
}
