/** @file A Hugging Face model by its name: nothing is asked of the Hub before somebody presses the button. */

import { useEffect, useState } from "react";
import type { ModelSource } from "../../../records/model.ts";
import type { ModelCell } from "../../../records/notebook.ts";
import { useActions, useApp } from "../../app.tsx";
import { Button, IconButton } from "../../controls/Button.tsx";
import { Confirm } from "../../controls/Dialog.tsx";
import { Disclosure } from "../../controls/Disclosure.tsx";
import { TextField } from "../../controls/Field.tsx";
import { toast } from "../../controls/toasts.ts";
import { bytes } from "../../format.ts";
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
        disabled={disabled}
        onPick={(name, at) => {
          setRepo(name);
          setRevision(at);
          ask(name, at);
        }}
      />
    </>
  );
}

/** The models that this browser keeps, each with its size and a way to remove it. */
function CachedModels({
  disabled,
  onPick,
}: {
  readonly disabled: boolean;
  readonly onPick: (repo: string, revision: string) => void;
}) {
  const cached = useApp(({ device }) => device.cached);
  const { loadCachedModels, removeCachedModel } = useActions();
  const [leaving, setLeaving] = useState<{ repo: string; revision: string; bytes: number } | null>(null);
  useEffect(() => {
    if (!cached) void loadCachedModels().catch(() => undefined);
  }, [cached, loadCachedModels]);
  if (!cached || cached.length === 0) return null;
  const remove = async (): Promise<void> => {
    if (!leaving) return;
    try {
      await removeCachedModel(leaving.repo, leaving.revision);
    } catch (error) {
      toast.failed((error as Error).message);
    }
  };
  return (
    <Disclosure summary={`In this browser: ${cached.length}`} defaultOpen>
      <ul className={s.cached}>
        {cached.map((model) => (
          <li key={`${model.repo}@${model.revision}`}>
            <span className={s.repo}>
              {model.repo}
              {model.revision !== "main" && <span className={s.note}> at {model.revision}</span>}
            </span>
            <span className="num">{bytes(model.bytes)}</span>
            <span className={s.note}>
              {model.complete ? "complete" : "in part; it goes on where it stopped"}
            </span>
            <Button size="s" disabled={disabled} onClick={() => onPick(model.repo, model.revision)}>
              Use
            </Button>
            <IconButton
              icon="trash"
              size="s"
              label={`Remove ${model.repo} from this browser`}
              disabled={disabled}
              onClick={() => setLeaving(model)}
            />
          </li>
        ))}
      </ul>
      <Confirm
        open={leaving !== null}
        onOpenChange={() => setLeaving(null)}
        title="Remove the model?"
        description={`${leaving?.repo ?? ""} takes ${bytes(leaving?.bytes ?? 0)} here. Memories made with it stay; to use them it must be fetched again.`}
        confirm="Remove it"
        onConfirm={() => void remove()}
      />
    </Disclosure>
  );
}
