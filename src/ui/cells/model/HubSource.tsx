/** @file A Hugging Face model by its name, or one of those that are kept. */

import { useState } from "react";
import type { ModelSource } from "../../../records/model.ts";
import type { ModelCell } from "../../../records/notebook.ts";
import { useActions } from "../../app.tsx";
import { Disclosure } from "../../controls/Dialog.tsx";
import { TextField } from "../../controls/Field.tsx";
import { CachedModels, RepoForm } from "../../models/hubModels.tsx";

export function HubSource(
  props: Readonly<{ cell: ModelCell; source: Extract<ModelSource, { kind: "hub" }>; disabled: boolean }>,
) {
  const { cell, source, disabled } = props;
  const { setInput, setToken, tokenOf, inspectModel } = useActions();
  // Kept per tab: the form remounts with every listed repository.
  const [token, setTokenText] = useState(() => tokenOf(cell.id));
  // A picked model replaces the typed name.
  const [picks, setPicks] = useState(0);
  const take = (repo: string, revision: string): void => {
    setInput(cell.id, "model", (input) => ({ ...input, source: { kind: "hub", repo, revision } }));
    void inspectModel(cell.id);
  };
  return (
    <>
      <RepoForm
        key={picks}
        label="Model"
        placeholder="Qwen/Qwen3-0.6B"
        hint="Qwen2, Qwen3, Llama, Mistral or Phi, with safetensors"
        button="List its files"
        repo={source.repo}
        revision={source.revision}
        disabled={disabled}
        onTake={take}
      />
      <Disclosure summary="Access token, for models that ask for one">
        <TextField
          label="Token"
          type="password"
          value={token}
          disabled={disabled}
          hint="Sent to Hugging Face alone, and forgotten when this tab closes."
          onChange={(text) => {
            setTokenText(text);
            setToken(cell.id, text);
          }}
        />
      </Disclosure>
      <CachedModels
        of="models"
        disabled={disabled}
        onPick={({ repo, revision }) => {
          setPicks(picks + 1);
          take(repo, revision);
        }}
      />
    </>
  );
}
