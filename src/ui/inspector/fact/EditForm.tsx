/** @file The form behind "Edit or move": the value with its room in the window, and the layer. */

import { useState } from "react";
import type { LayerIndex } from "../../../records/ids.ts";
import { useApp, useServices } from "../../app.tsx";
import { Button } from "../../controls/Button.tsx";
import { TextArea } from "../../controls/Field.tsx";
import { Select } from "../../controls/Select.tsx";
import { useAsync } from "../../controls/useAsync.ts";
import { useStored } from "../../facts/useStored.ts";
import { count, counted } from "../../format.ts";
import { changeOf, draftProblem, storingLayers, type Change, type Counted } from "./edit.ts";
import type { FactTools } from "./useFact.ts";
import { Row, Stack } from "../../controls/layout.tsx";
import s from "./FactPanel.module.css";

export function EditForm({
  tools,
  busy,
  onEncode,
  onClose,
}: {
  readonly tools: FactTools;
  readonly busy: boolean;
  readonly onEncode: (change: Change) => Promise<void>;
  readonly onClose: () => void;
}) {
  const { row, modelOpen, openModel } = tools;
  const stored = useStored(row);
  const [written, setDraft] = useState<string | null>(null);
  const draft = written ?? stored ?? "";
  const [layer, setLayer] = useState<LayerIndex>(row.layer);
  const tokens = useTokens(tools, draft);
  const layers = useLayerOptions(row.layer);
  const problem = draftProblem(draft, tokens);
  const change = changeOf({ ...row, value: stored }, draft, layer);
  const nothing = Object.keys(change).length === 0;
  return (
    <Stack
      as="form"
      gap={3}
      className={s.form}
      aria-label="Edit this fact"
      onSubmit={(event) => {
        event.preventDefault();
        if (!problem && !busy) void onEncode(change);
      }}
    >
      <TextArea
        label="Value"
        rows={3}
        value={draft}
        onChange={setDraft}
        disabled={busy}
        error={problem}
        hint={<Room tokens={tokens} modelOpen={modelOpen} />}
      />
      <Select
        label="Layer"
        value={String(layer)}
        disabled={busy}
        onChange={(value) => setLayer(Number(value) as LayerIndex)}
        options={layers}
      />
      <Row wrap gap="0.5rem" className={s.actions}>
        <Button type="submit" look="primary" size="s" icon="run" disabled={problem !== null || busy}>
          {nothing ? "Encode once more" : "Encode the change"}
        </Button>
        <Button size="s" look="quiet" disabled={busy} onClick={onClose}>
          Cancel
        </Button>
        {!modelOpen && (
          <Button size="s" look="quiet" disabled={busy} onClick={() => void openModel()}>
            Open the model
          </Button>
        )}
      </Row>
    </Stack>
  );
}

function Room({ tokens, modelOpen }: { readonly tokens: Counted | null; readonly modelOpen: boolean }) {
  if (!tokens)
    return modelOpen
      ? "Counting tokens …"
      : "The model counts the tokens when it is open; encoding opens it.";
  return (
    <>
      <span className="num">{count(tokens.valueTokens)}</span> tokens, of{" "}
      <span className="num">{count(tokens.room)}</span> that fit the model’s window
    </>
  );
}

function useLayerOptions(own: LayerIndex) {
  const { info, facts } = useApp(({ memory }) => memory);
  const here = (at: LayerIndex): number => facts?.filter(({ layer }) => layer === at).length ?? 0;
  return storingLayers(info?.model.layers ?? own + 2).map((at) => ({
    value: String(at),
    label: `${at}${at === own ? ", where it is" : ""}`,
    note: `${info?.layers.includes(at) ? "storage layer" : "not a storage layer yet"}, ${counted(here(at), "fact")}`,
  }));
}

/** Milliseconds of quiet before a draft is counted. */
const QUIET = 250;

/**
 * The draft's tokens as the open model counts them, those of an earlier draft until then; null before the first. What
 * fails here is said by the encoding, which checks it again.
 */
function useTokens({ memory, row: { id }, modelOpen }: FactTools, draft: string): Counted | null {
  const { engine } = useServices();
  const text = draft.trim();
  const ask = async (): Promise<Counted> => {
    const { valueTokens, room } = await engine().prompt({ memory, id, value: text });
    return { text, valueTokens, room };
  };
  const wanted = modelOpen && text !== "";
  return useAsync(ask, [engine, memory, id, text], { wanted, delay: QUIET, keep: true }).value;
}
