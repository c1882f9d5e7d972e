/** @file A Hugging Face model by its name: nothing is asked of the Hub before somebody presses the button. */

import { useState } from "react";
import type { ModelSource } from "../../../records/model.ts";
import type { ModelCell } from "../../../records/notebook.ts";
import { useActions } from "../../app.tsx";
import { Button } from "../../controls/Button.tsx";
import { Disclosure } from "../../controls/Disclosure.tsx";
import { TextField } from "../../controls/Field.tsx";
import { CachedModels } from "./CachedModels.tsx";
import { repoProblem } from "./repo.ts";
import s from "./ModelCell.module.css";

export function HubSource({
  cell,
  source,
  disabled,
}: {
  readonly cell: ModelCell;
  readonly source: Extract<ModelSource, { kind: "hub" }>;
  readonly disabled: boolean;
}) {
  const { setInput, setToken, inspectModel } = useActions();
  const [repo, setRepo] = useState(source.repo);
  const [revision, setRevision] = useState(source.revision);
  const [token, setTokenText] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const ask = (name = repo, at = revision): void => {
    const wrong = repoProblem(name);
    setProblem(wrong);
    if (wrong) return;
    setToken(cell.id, token);
    setInput(cell.id, "model", (input) => ({
      ...input,
      source: { kind: "hub", repo: name.trim(), revision: at.trim() || "main" },
    }));
    void inspectModel(cell.id);
  };
  return (
    <>
      <form
        className={s.ask}
        onSubmit={(event) => {
          event.preventDefault();
          ask();
        }}
      >
        <TextField
          label="Model"
          placeholder="Qwen/Qwen3-0.6B"
          spellCheck={false}
          value={repo}
          error={problem}
          disabled={disabled}
          hint="Qwen3, Llama 3 or Phi-3 family, with safetensors"
          onChange={setRepo}
        />
        <TextField
          label="Revision"
          value={revision}
          spellCheck={false}
          disabled={disabled}
          onChange={setRevision}
        />
        <Button type="submit" disabled={disabled}>
          List its files
        </Button>
      </form>
      <Disclosure summary="Access token, for models that ask for one">
        <TextField
          label="Token"
          type="password"
          value={token}
          disabled={disabled}
          hint="Sent to Hugging Face alone, and forgotten when this tab closes."
          onChange={setTokenText}
        />
      </Disclosure>
      <CachedModels
        of="models"
        disabled={disabled}
        onPick={({ repo: name, revision: at }) => {
          setRepo(name);
          setRevision(at);
          ask(name, at);
        }}
      />
    </>
  );
}
