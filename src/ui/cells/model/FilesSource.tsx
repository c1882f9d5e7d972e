/** @file A model from files of the user's own: read in place, never copied. */

import type { ModelCell } from "../../../records/notebook.ts";
import { useActions } from "../../app.tsx";
import { DropZone, type NamedFile } from "../../controls/DropZone.tsx";
import { toast } from "../../controls/toasts.ts";
import { modelFiles } from "./modelFiles.ts";

export function FilesSource({
  cell,
  name,
  disabled,
}: {
  readonly cell: ModelCell;
  readonly name: string;
  readonly disabled: boolean;
}) {
  const { setModelFiles, inspectModel } = useActions();
  const take = (dropped: readonly NamedFile[]): void => {
    const found = modelFiles(dropped);
    if ("problem" in found) {
      toast.failed(found.problem);
      return;
    }
    setModelFiles(cell.id, found.name, found.files);
    void inspectModel(cell.id);
  };
  return (
    <DropZone onFiles={take} disabled={disabled} folders>
      {name ? <strong>{name}</strong> : "Drop a model folder here"}
      <br />
      config.json, tokenizer.json and *.safetensors of the Qwen3, Llama 3 or Phi-3 family. They are read in
      place; after a reload they must be dropped again.
    </DropZone>
  );
}
