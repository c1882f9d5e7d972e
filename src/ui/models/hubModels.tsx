/** @file Models of the Hub by name, downloaded ones, and folders of files. Nothing is asked of the Hub before a button is pressed. */

import { useEffect, useState } from "react";
import type { CachedModel } from "../../records/model.ts";
import { useActions, useApp } from "../app.tsx";
import { Button, IconButton, Row, Text, Grid } from "../controls/basics.tsx";
import { Confirm, Disclosure } from "../controls/Dialog.tsx";
import { attempt, toast } from "../controls/page.ts";
import { bytes, counted } from "../format.ts";
import { TextField } from "../controls/Field.tsx";
import s from "./RepoForm.module.css";
import { DropZone, type NamedFile } from "../controls/DropZone.tsx";

export function CachedModels(
  props: Readonly<{ of: "models" | "embedders"; disabled?: boolean; onPick: (model: CachedModel) => void }>,
) {
  const { of, disabled = false, onPick } = props;
  const all = useApp(({ device }) => device.cached);
  const { loadCachedModels, removeCachedModel } = useActions();
  const [leaving, setLeaving] = useState<CachedModel | null>(null);
  useEffect(() => {
    if (!all) void loadCachedModels().catch(() => undefined);
  }, [all, loadCachedModels]);
  const cached = all?.filter(({ onnx }) => (onnx !== undefined) === (of === "embedders")) ?? [];
  return cached.length === 0 ? null : (
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
  readonly disabled?: boolean;
  readonly onTake: (repo: string, revision: string) => void;
}

export function RepoForm({
  button,
  disabled = false,
  onTake,
  repo: first,
  revision: at,
  ...text
}: RepoFormProps) {
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

interface FolderDropProps<Found> {
  readonly name: string;
  readonly what: string;
  /** The files that are needed, as the first words of a sentence. */
  readonly content: string;
  readonly disabled?: boolean;
  readonly find: (dropped: readonly NamedFile[]) => Found | { readonly problem: string };
  readonly onFound: (found: Found) => void;
}

export function FolderDrop<Found extends object>(props: FolderDropProps<Found>) {
  const { name, what, content, disabled = false, find, onFound } = props;
  const take = (dropped: readonly NamedFile[]): void => {
    const found = find(dropped);
    if ("problem" in found) toast.failed(found.problem);
    else onFound(found);
  };
  return (
    <DropZone onFiles={take} disabled={disabled} folders>
      {name ? <strong>{name}</strong> : `Drop the folder of a ${what} here`}
      <br />
      {content}. Files are read in place; drop them again after a reload.
    </DropZone>
  );
}

/** The model with the topmost config.json. @param needs patterns of files that must be there, by their names */
export function droppedModel(
  dropped: readonly NamedFile[],
  needs: Readonly<Record<string, RegExp>>,
  advice: string,
  rename = (name: string): string => name,
): Readonly<{ name: string; files: ReadonlyMap<string, Blob> }> | { readonly problem: string } {
  const [config] = dropped
    .filter(({ name }) => /(^|\/)config\.json$/.test(name))
    .toSorted((a, b) => a.name.split("/").length - b.name.split("/").length);
  if (!config)
    return { problem: `No config.json in the ${counted(dropped.length, "dropped file")}. ${advice}` };
  const folder = config.name.slice(0, -"config.json".length);
  const here = dropped.filter(({ name }) => name.startsWith(folder));
  const files = new Map(here.map(({ name, file }) => [rename(name.slice(folder.length)), file]));
  for (const [name, pattern] of Object.entries(needs))
    if (![...files.keys()].some((path) => pattern.test(path)))
      return { problem: `${name} is missing next to config.json. ${advice}` };
  return { name: folder.split("/").at(-2) ?? "dropped files", files };
}
