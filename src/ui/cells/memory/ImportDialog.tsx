/** @file Imports a memory from a file: checks it, merges it or replaces the current one, and reports the result. */

import { useState } from "react";
import { toldOf } from "../../../lib/format.ts";
import type { LibraryService } from "../../../service/library/libraryService.ts";
import { useActions, useNotebook, useServices } from "../../app.tsx";
import { Notice } from "../../controls/Badge.tsx";
import { Button } from "../../controls/Button.tsx";
import { Dialog } from "../../controls/Dialog.tsx";
import { Stack, Text } from "../../controls/layout.tsx";
import { Progress } from "../../controls/Progress.tsx";
import { useAsync } from "../../controls/useAsync.ts";
import { bytes, counted } from "../../format.ts";

type Result<Call extends keyof LibraryService> = Awaited<ReturnType<LibraryService[Call]>>;

interface ImportProps {
  readonly file: File;
  readonly stored: number;
  readonly onClose: () => void;
}

export function ImportDialog({ file, stored, onClose }: ImportProps) {
  const { library } = useServices();
  const { refreshMemory, refreshStorage } = useActions();
  const memory = useNotebook().id;
  const archive = { archive: file, name: file.name };
  const [busy, setBusy] = useState(false);
  const [done, setDone] = useState<Result<"importMemory"> | null>(null);
  const [problem, setProblem] = useState("");
  const checked = useAsync(() => library().inspectArchive(archive), [library, file]);
  const refused = problem || checked.message;
  const run = async (mode: "replace" | "merge"): Promise<void> => {
    setBusy(true);
    try {
      const result = await library().importMemory({ memory, ...archive, mode });
      await refreshMemory();
      await refreshStorage();
      setDone(result);
    } catch (error) {
      setProblem(toldOf(error));
    }
    setBusy(false);
  };
  const asking = !busy && !done && !refused && checked.value !== null;
  const actions = asking ? (
    <>
      <Button look="quiet" onClick={onClose}>
        Cancel
      </Button>
      {stored > 0 && (
        <Button look="danger" onClick={() => void run("replace")}>
          Replace {counted(stored, "fact")}
        </Button>
      )}
      <Button look="primary" onClick={() => void run("merge")}>
        {stored > 0 ? "Merge" : "Import"}
      </Button>
    </>
  ) : (
    <Button onClick={onClose} disabled={busy}>
      Close
    </Button>
  );
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        // A write in progress is always completed.
        if (!open && !busy) onClose();
      }}
      title="Import a memory"
      description={`${file.name}, ${bytes(file.size)}`}
      actions={actions}
    >
      {refused ? (
        <Notice tone="rubric" role="alert" title="Nothing was imported.">
          {refused}
        </Notice>
      ) : done ? (
        <Imported {...done} />
      ) : busy || !checked.value ? (
        <Progress label={busy ? "Writing" : "Checking the file"} done={0} total={null} />
      ) : (
        <Found {...checked.value} stored={stored} />
      )}
    </Dialog>
  );
}

function Found({
  facts,
  pending,
  model,
  titles,
  stored,
}: Result<"inspectArchive"> & Pick<ImportProps, "stored">) {
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

function Imported({ added, skipped, notes }: Result<"importMemory">) {
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
