/** @file Dialog that moves a memory to the model of the model cell: asks for the former model's files. */

import { useState } from "react";
import { modelCellFor } from "../../../notebook/kinds.ts";
import { modelTag } from "../../../records/memory.ts";
import type { ModelSource } from "../../../records/model.ts";
import { useActions, useApp, useNotebook } from "../../app.tsx";
import { Button, Stack, Text } from "../../controls/basics.tsx";
import { Choice } from "../../controls/Field.tsx";
import { Dialog } from "../../controls/Dialog.tsx";
import { counted } from "../../format.ts";
import { FolderDrop, CachedModels, RepoForm } from "../../models/hubModels.tsx";
import { FIRST, modelFiles, ORIGINS } from "../model/ModelCell.tsx";

export function CarryDialog({ cellId, onClose }: Readonly<{ cellId: string; onClose: () => void }>) {
  const { carryOver } = useActions();
  const notebook = useNotebook();
  const info = useApp(({ memory }) => memory.info);
  const [source, setSource] = useState<ModelSource>(FIRST.bundled);
  const [files, setFiles] = useState<ReadonlyMap<string, Blob> | null>(null);
  const ready = source.kind === "bundled" || (source.kind === "hub" ? source.repo !== "" : files !== null);
  const to = modelCellFor(notebook, cellId)?.input;
  if (!info) return null;
  const { precision } = info.model;
  const from = {
    source,
    backend: to?.backend ?? "auto",
    ...(precision ? { precision } : {}),
    ...(source.kind === "files" && files ? { files } : {}),
  } as const;
  const take = (repo: string, revision: string): void => setSource({ kind: "hub", repo, revision });
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Carry over to another model"
      description={`${counted(info.facts, "fact")} of ${modelTag(info.model)}`}
      actions={
        <>
          <Button look="quiet" label="Cancel" onClick={onClose} />
          <Button
            look="primary"
            label="Carry over"
            disabled={!ready}
            onClick={() => {
              onClose();
              void carryOver(cellId, from);
            }}
          />
        </>
      }
    >
      <Stack gap={3}>
        <p>
          The former model says every fact once more, and the model of the model cell writes it. The memory
          then belongs to that model. To keep the memory as it is, export it first.
        </p>
        <Choice
          label="Source of the former model"
          value={source.kind}
          onChange={(kind) => setSource(FIRST[kind])}
          options={ORIGINS}
        />
        {source.kind === "hub" && (
          <>
            <RepoForm
              key={`${source.repo}@${source.revision}`}
              label="Former model"
              placeholder="Qwen/Qwen3-0.6B"
              hint={`The weights must be those of ${modelTag(info.model)}`}
              button="Use it"
              repo={source.repo}
              revision={source.revision}
              onTake={take}
            />
            <CachedModels of="models" onPick={({ repo, revision }) => take(repo, revision)} />
          </>
        )}
        {source.kind === "files" && (
          <FolderDrop
            name={source.name}
            what="model"
            content="config.json, tokenizer.json and *.safetensors"
            find={modelFiles}
            onFound={({ name, files: found }) => {
              setSource({ kind: "files", name });
              setFiles(found);
            }}
          />
        )}
        {source.kind === "hub" && source.repo !== "" && (
          <Text as="p" tone="soft">
            {source.repo} at {source.revision}
          </Text>
        )}
      </Stack>
    </Dialog>
  );
}
