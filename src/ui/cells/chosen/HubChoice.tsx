/** @file A model of the Hub: one that is known, with its size, or any other by its name. */

import { useState } from "react";
import type { EmbedderChoice } from "../../../records/embedder.ts";
import { Select } from "../../controls/Select.tsx";
import { bytes } from "../../format.ts";
import { RepoForm } from "../model/RepoForm.tsx";
import { aboutBytes, type KnownModel } from "./knownModels.ts";

const OTHER = "other";

export function HubChoice({
  known: all,
  example,
  choice,
  disabled,
  onChange,
}: {
  readonly known: readonly KnownModel[];
  /** Of a name on the Hub. */
  readonly example: string;
  readonly choice: EmbedderChoice;
  readonly disabled: boolean;
  readonly onChange: (choice: EmbedderChoice) => void;
}) {
  const { from } = choice;
  const repo = from.kind === "hub" ? from.repo : "";
  const [other, setOther] = useState(!all.some((known) => known.repo === repo));
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
          ...all.map((known) => ({
            value: known.repo,
            label: labelOf(known, choice),
            note: known.note,
          })),
          { value: OTHER, label: "Another one, by its name" },
        ]}
      />
      {other && (
        <RepoForm
          label="Name on the Hub"
          placeholder={example}
          hint="With ONNX weights in the layout of transformers.js"
          button="Take it"
          repo={repo}
          revision={from.kind === "hub" ? from.revision : "main"}
          disabled={disabled}
          onTake={take}
        />
      )}
    </>
  );
}

function labelOf(known: KnownModel, { dtype }: EmbedderChoice): string {
  const about = aboutBytes(known, dtype);
  return `${known.repo.split("/")[1]!}${about === null ? "" : `, about ${bytes(about)}`}`;
}
