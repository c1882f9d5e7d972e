/** @file Models of the Hub: a form for a name, and the downloaded ones with their sizes. Nothing is asked of the Hub before a button is pressed. */

import { useEffect, useState } from "react";
import type { CachedModel } from "../../records/model.ts";
import { useActions, useApp } from "../app.tsx";
import { Button, IconButton, Row, Text, Grid } from "../controls/basics.tsx";
import { Confirm } from "../controls/Dialog.tsx";
import { Disclosure } from "../controls/Disclosure.tsx";
import { attempt } from "../controls/page.ts";
import { bytes } from "../format.ts";
import { TextField } from "../controls/Field.tsx";
import s from "./RepoForm.module.css";

interface CachedModelsProps {
  readonly of: "models" | "embedders";
  readonly disabled: boolean;
  readonly onPick: (model: CachedModel) => void;
}

export function CachedModels({ of, disabled, onPick }: CachedModelsProps) {
  const all = useApp(({ device }) => device.cached);
  const { loadCachedModels, removeCachedModel } = useActions();
  const [leaving, setLeaving] = useState<CachedModel | null>(null);
  useEffect(() => {
    if (!all) void loadCachedModels().catch(() => undefined);
  }, [all, loadCachedModels]);
  const cached = all?.filter(({ onnx }) => (onnx !== undefined) === (of === "embedders")) ?? [];
  if (cached.length === 0) return null;
  return (
    <Disclosure summary={`In this browser: ${cached.length}`} defaultOpen>
      <Text as="ul" plainList style={{ width: "100%" }}>
        {cached.map((model) => (
          <Row
            as="li"
            key={`${model.repo}@${model.revision} ${model.onnx ?? ""}`}
            wrap
            align="center"
            gap="0.25rem 0.9rem"
            ruled="bottom"
          >
            <Text shrinks anywhere style={{ flex: "1 1 12rem" }}>
              {model.repo}
              {model.revision !== "main" && <Text tone="soft"> at {model.revision}</Text>}
            </Text>
            <span className="num">{bytes(model.bytes)}</span>
            <Text tone="soft">
              {model.onnx && `${model.onnx}, `}
              {model.complete ? "complete" : "partial; the download resumes"}
              {model.copies && `, ${bytes(model.copies)} of it rounded copies`}
            </Text>
            <Button size="s" label="Use" disabled={disabled} onClick={() => onPick(model)} />
            <IconButton
              icon="trash"
              size="s"
              label={`Remove ${model.repo} from this browser`}
              disabled={disabled}
              onClick={() => setLeaving(model)}
            />
          </Row>
        ))}
      </Text>
      <Confirm
        open={leaving !== null}
        onOpenChange={() => setLeaving(null)}
        title="Remove the model?"
        description={`${leaving?.repo ?? ""} takes ${bytes(leaving?.bytes ?? 0)} here. Memories made with it stay; to use them, download it again.`}
        confirm="Remove"
        onConfirm={() => leaving && void attempt(() => removeCachedModel(leaving))}
      />
    </Disclosure>
  );
}

interface RepoFormProps {
  readonly label: string;
  readonly placeholder: string;
  readonly hint: string;
  readonly button: string;
  readonly repo: string;
  readonly revision: string;
  readonly disabled: boolean;
  readonly onTake: (repo: string, revision: string) => void;
}

export function RepoForm({ button, disabled, onTake, repo: first, revision: at, ...text }: RepoFormProps) {
  const [repo, setRepo] = useState(first);
  const [revision, setRevision] = useState(at);
  const [problem, setProblem] = useState<string | null>(null);
  const take = (): void => {
    const pasted = fromAddress(repo);
    const name = pasted?.repo ?? repo.trim();
    const wrong = repoProblem(name);
    setProblem(wrong);
    if (!wrong) onTake(name, pasted?.revision ?? (revision.trim() || "main"));
  };
  const field = { spellCheck: false, disabled };
  return (
    <Grid
      as="form"
      gap={3}
      align="start"
      columns="minmax(12rem, 1fr) 8rem auto"
      className={s.form}
      onSubmit={(event) => {
        event.preventDefault();
        take();
      }}
    >
      <TextField {...field} {...text} value={repo} error={problem} onChange={setRepo} />
      <TextField {...field} label="Revision" value={revision} onChange={setRevision} />
      <Button type="submit" label={button} disabled={disabled} />
    </Grid>
  );
}

/** Name and revision of a pasted address such as https://huggingface.co/Qwen/Qwen3-0.6B/tree/main; null for other texts. */
export function fromAddress(text: string): { repo: string; revision: string | undefined } | null {
  const found =
    /^(?:https?:\/\/)?(?:www\.)?(?:huggingface\.co|hf\.co)\/([^/\s]+\/[^/?#\s]+)(?:\/(?:tree|blob|resolve)\/([^/?#\s]+))?/i.exec(
      text.trim(),
    );
  return found && { repo: found[1]!, revision: found[2] && decodeURIComponent(found[2]) };
}

const REPO = /^[\w.-]{1,96}\/[\w.-]{1,96}$/;

export function repoProblem(text: string): string | null {
  const name = text.trim();
  if (name === "") return "Write the name of a model, such as Qwen/Qwen3-0.6B.";
  return REPO.test(name) ? null : "A model's name has the form owner/name, such as Qwen/Qwen3-0.6B.";
}
