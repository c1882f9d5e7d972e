/** @file A repository of the Hub by its name: nothing is asked of the Hub before somebody presses the button. */

import { useState } from "react";
import { Button } from "../controls/Button.tsx";
import { TextField } from "../controls/Field.tsx";
import { Grid } from "../controls/layout.tsx";
import s from "./RepoForm.module.css";

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
    const wrong = repoProblem(repo);
    setProblem(wrong);
    if (!wrong) onTake(repo.trim(), revision.trim() || "main");
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
      <Button type="submit" disabled={disabled}>
        {button}
      </Button>
    </Grid>
  );
}

const REPO = /^[\w.-]{1,96}\/[\w.-]{1,96}$/;

/** Why `text` names no repository, or null. */
export function repoProblem(text: string): string | null {
  const name = text.trim();
  if (name === "") return "Write the name of a model, such as Qwen/Qwen3-0.6B.";
  if (/^https?:/i.test(name)) return "Write owner/name, without the address in front of it.";
  return REPO.test(name) ? null : "A model's name has the form owner/name, such as Qwen/Qwen3-0.6B.";
}
