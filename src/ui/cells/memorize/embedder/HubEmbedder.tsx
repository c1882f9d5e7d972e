/** @file A text embedder of the Hub: one that is known, with its size, or any other by its name. */

import { useState } from "react";
import type { EmbedderChoice } from "../../../../records/embedder.ts";
import { Button } from "../../../controls/Button.tsx";
import { TextField } from "../../../controls/Field.tsx";
import { Select } from "../../../controls/Select.tsx";
import { bytes } from "../../../format.ts";
import { repoProblem } from "../../model/repo.ts";
import { aboutBytes, KNOWN_EMBEDDERS, type KnownEmbedder } from "./knownEmbedders.ts";
import s from "./EmbedderForm.module.css";

const OTHER = "other";

export function HubEmbedder({
  choice,
  disabled,
  onChange,
}: {
  readonly choice: EmbedderChoice;
  readonly disabled: boolean;
  readonly onChange: (choice: EmbedderChoice) => void;
}) {
  const { from } = choice;
  const repo = from.kind === "hub" ? from.repo : "";
  const [other, setOther] = useState(!KNOWN_EMBEDDERS.some((known) => known.repo === repo));
  const take = (next: string, revision = "main"): void =>
    onChange({ ...choice, from: { kind: "hub", repo: next, revision } });
  return (
    <>
      <Select
        label="Model"
        value={other ? OTHER : repo}
        disabled={disabled}
        onChange={(next) => {
          setOther(next === OTHER);
          if (next !== OTHER) take(next);
        }}
        options={[
          ...KNOWN_EMBEDDERS.map((known) => ({
            value: known.repo,
            label: labelOf(known, choice),
            note: known.note,
          })),
          { value: OTHER, label: "Another one, by its name" },
        ]}
      />
      {other && (
        <ByName
          repo={repo}
          revision={from.kind === "hub" ? from.revision : "main"}
          disabled={disabled}
          onTake={take}
        />
      )}
    </>
  );
}

function labelOf(known: KnownEmbedder, { dtype }: EmbedderChoice): string {
  const about = aboutBytes(known, dtype);
  return `${known.repo.split("/")[1]!}${about === null ? "" : `, about ${bytes(about)}`}`;
}

function ByName({
  repo,
  revision,
  disabled,
  onTake,
}: {
  readonly repo: string;
  readonly revision: string;
  readonly disabled: boolean;
  readonly onTake: (repo: string, revision: string) => void;
}) {
  const [name, setName] = useState(repo);
  const [at, setAt] = useState(revision);
  const [problem, setProblem] = useState<string | null>(null);
  return (
    <form
      className={s.byName}
      onSubmit={(event) => {
        event.preventDefault();
        const wrong = repoProblem(name);
        setProblem(wrong);
        if (!wrong) onTake(name.trim(), at.trim() || "main");
      }}
    >
      <TextField
        label="Name on the Hub"
        placeholder="onnx-community/gte-multilingual-base"
        spellCheck={false}
        value={name}
        error={problem}
        disabled={disabled}
        hint="With ONNX weights in the layout of transformers.js"
        onChange={setName}
      />
      <TextField label="Revision" value={at} spellCheck={false} disabled={disabled} onChange={setAt} />
      <Button type="submit" disabled={disabled}>
        Take it
      </Button>
    </form>
  );
}
