/** @file A Hugging Face model by its name, or one of the downloaded models. */

import { useState } from "react";
import type { ModelSource } from "../../../records/model.ts";
import type { ModelCell } from "../../../records/notebook.ts";
import { useActions } from "../../app.tsx";
import { Disclosure } from "../../controls/Dialog.tsx";
import { TextField } from "../../controls/Field.tsx";
import { PRECISIONS, weightBytes } from "../../../lib/precision.ts";
import { Button, Row, Text } from "../../controls/basics.tsx";
import { bytes } from "../../format.ts";
import { CachedModels, RepoForm } from "../../models/hubModels.tsx";

/** Weights in billions, and GB of the download, as published. */
type KnownModel = readonly [repo: string, weights: number, download: number, use: string, gated?: "gated"];

export const KNOWN_MODELS: readonly KnownModel[] = [
  ["HuggingFaceTB/SmolLM2-135M-Instruct", 0.135, 0.27, "a first try on any machine"],
  ["HuggingFaceTB/SmolLM2-360M-Instruct", 0.362, 0.72, "exact recall on a laptop without a GPU"],
  ["Qwen/Qwen2.5-0.5B-Instruct", 0.494, 0.99, "short answers in many languages"],
  ["Qwen/Qwen3-0.6B", 0.596, 1.5, "a good start on a GPU; many languages"],
  ["TinyLlama/TinyLlama-1.1B-Chat-v1.0", 1.1, 2.2, "English; comparison with older papers"],
  ["meta-llama/Llama-3.2-1B-Instruct", 1.236, 2.5, "answers in English", "gated"],
  ["Qwen/Qwen2.5-1.5B-Instruct", 1.544, 3.1, "answers in many languages, code"],
  ["HuggingFaceTB/SmolLM2-1.7B-Instruct", 1.711, 3.4, "answers in English"],
  ["Qwen/Qwen3-1.7B", 1.721, 4.1, "facts put together; many languages"],
  ["meta-llama/Llama-3.2-3B-Instruct", 3.213, 6.4, "facts put together, in English", "gated"],
  ["microsoft/Phi-3.5-mini-instruct", 3.821, 7.6, "facts put together; long prompts"],
  ["microsoft/Phi-4-mini-instruct", 3.836, 7.7, "facts put together; many languages"],
  ["Qwen/Qwen3-4B-Instruct-2507", 4.022, 8.0, "the best answers on a GPU of 8 GB"],
  ["mistralai/Mistral-7B-Instruct-v0.3", 7.248, 14.5, "large GPUs alone", "gated"],
];

/** "f32 540 MB, q8 152 MB" for a number of weights. */
export const sizesOf = (weights: number): string =>
  PRECISIONS.map((precision) => `${precision} ${bytes(weightBytes([1, weights * 1e9], precision))}`).join(
    ", ",
  );

const KnownModels = ({
  disabled,
  onPick,
}: Readonly<{ disabled: boolean; onPick: (repo: string) => void }>) => (
  <Disclosure summary={`Models to begin with: ${KNOWN_MODELS.length}`}>
    <Text as="ul" plainList style={{ width: "100%" }}>
      {KNOWN_MODELS.map(([repo, weights, download, use, gated]) => (
        <Row as="li" key={repo} wrap align="center" gap="0.25rem 0.9rem" ruled="bottom">
          <Text shrinks anywhere style={{ flex: "1 1 14rem" }}>
            {repo}
            <Text tone="soft">
              : {use}
              {gated && "; asks for a token"}
            </Text>
          </Text>
          <Text tone="soft">
            Download {bytes(download * 1e9)}; {sizesOf(weights)}
          </Text>
          <Button size="s" label="Use" disabled={disabled} onClick={() => onPick(repo)} />
        </Row>
      ))}
    </Text>
  </Disclosure>
);

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
    setInput(cell.id, "model", { source: { kind: "hub", repo, revision } });
    void inspectModel(cell.id);
  };
  const pick = (repo: string, revision: string): void => {
    setPicks(picks + 1);
    take(repo, revision);
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
      <KnownModels disabled={disabled} onPick={(repo) => pick(repo, "main")} />
      <CachedModels of="models" disabled={disabled} onPick={({ repo, revision }) => pick(repo, revision)} />
    </>
  );
}
