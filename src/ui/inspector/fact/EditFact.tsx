/** @file Changing a fact: its value and its layer, checked against the window, encoded, told, and taken back. */

import { useState } from "react";
import type { LayerIndex } from "../../../records/ids.ts";
import { knownValue } from "../../../records/factRow.ts";
import type { FactRow } from "../../../records/notebook.ts";
import type { PromptTokens } from "../../../records/trace.ts";
import { useActions, useApp, useAppState, useRun, useServices } from "../../app.tsx";
import { Failed, useAsync, Progress } from "../../controls/useAsync.tsx";
import { Notice, Button, Row, Stack } from "../../controls/basics.tsx";
import { TextArea, Select } from "../../controls/Field.tsx";
import { useSaid } from "../../facts/Recalled.tsx";
import { ASKING_SOFT, outdone, staysText } from "../../facts/words.ts";
import { count, counted } from "../../format.ts";
import type { FactTools } from "./useFact.ts";
import s from "./FactPanel.module.css";

type Worded = FactRow & { readonly value: string | null };

type Outcome = { readonly before: Worded; readonly after: Worded } | { readonly message: string };

export function EditFact(props: Readonly<{ tools: FactTools; open: boolean; onClose: () => void }>) {
  const { tools, open, onClose } = props;
  const { row, cellId } = tools;
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [busy, setBusy] = useState(false);
  const { reencode } = useActions();
  const state = useAppState();
  const said = useSaid(row.id);
  const before = { ...row, value: knownValue(row, said) };
  const encode = async (change: Change): Promise<boolean> => {
    setBusy(true);
    setOutcome(null);
    const ok = await reencode(cellId, { id: row.id, ...change });
    setBusy(false);
    const { runs, memory } = state();
    const after = memory.facts?.find(({ id }) => id === row.id);
    const { status, problem } = runs[cellId] ?? {};
    if (ok && after) setOutcome({ before, after: { ...after, value: change.value ?? before.value } });
    else if (status === "failed") setOutcome({ message: problem?.message ?? "The engine gave no reason." });
    else if (status !== "cancelled") setOutcome({ message: ELSEWHERE });
    return ok;
  };
  return (
    <div aria-live="polite" className={s.edit}>
      {open && <EditForm tools={tools} busy={busy} onEncode={encode} onClose={onClose} />}
      {busy && <Encoding cellId={cellId} />}
      {outcome && "message" in outcome && <Failed message={outcome.message} />}
      {outcome && "after" in outcome && !busy && (
        <Encoded
          {...outcome}
          tools={tools}
          onUndo={async (back) => {
            if (await encode(back)) setOutcome(null);
          }}
        />
      )}
    </div>
  );
}

const ELSEWHERE = "Another run of the memory cell goes on; wait for it, or stop it there.";

function Encoded({
  before,
  after,
  tools,
  onUndo,
}: Readonly<{ before: Worded; after: Worded; tools: FactTools; onUndo: (back: Change) => Promise<void> }>) {
  // The earlier vector stays if it was better than the new one.
  const [worse] = outdone(tools.notebook, after);
  const back = backTo(before, after);
  const undo = back && <Button size="s" icon="undo" label="Undo" onClick={() => void onUndo(back)} />;
  return (
    <Notice tone={after.exact ? "verdigris" : "ochre"} role="status" actions={undo}>
      {changeText(before, after, worse?.after)}
    </Notice>
  );
}

function Encoding({ cellId }: { readonly cellId: string }) {
  const run = useRun(cellId);
  const { cancelCell } = useActions();
  const progress = run?.progress;
  const load = progress?.kind === "load" ? progress.load : null;
  const line = progress?.kind === "flow" ? progress.stages.at(-1) : null;
  const steps = line?.encode?.losses.length ?? 0;
  const waiting = run?.status === "queued" ? "Waiting for another run" : "Encoding the fact";
  const asking = line?.stage === "readBack" ? line : null;
  return (
    <Row align="end" gap={3} className={s.encoding}>
      <Progress
        label={load ? "Opening the model" : asking ? ASKING_SOFT : waiting}
        done={(load ?? asking)?.done ?? 0}
        total={(load ?? asking)?.total ?? null}
        detail={steps > 0 ? `step ${steps}` : undefined}
      />
      <Button size="s" look="quiet" icon="stop" label="Stop" onClick={() => cancelCell(cellId)} />
    </Row>
  );
}

interface EditFormProps {
  readonly tools: FactTools;
  readonly busy: boolean;
  readonly onEncode: (change: Change) => Promise<boolean>;
  readonly onClose: () => void;
}

function EditForm({ tools, busy, onEncode, onClose }: EditFormProps) {
  const { row, modelOpen, openModel } = tools;
  const stored = useSaid(row.id);
  const [written, setDraft] = useState<string | null>(null);
  const draft = written ?? stored ?? "";
  const [layer, setLayer] = useState<LayerIndex>(row.layer);
  const tokens = useTokens(tools, draft);
  const problem = draftProblem(draft, tokens);
  const change = changeOf({ ...row, value: stored }, draft, layer);
  const submit = async (): Promise<void> => {
    if (!problem && !busy && (await onEncode(change))) onClose();
  };
  return (
    <Stack
      as="form"
      gap={3}
      className={s.form}
      aria-label="Edit this fact"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <TextArea
        label="Value"
        rows={3}
        value={draft}
        onChange={setDraft}
        disabled={busy}
        error={problem}
        hint={roomText(tokens, modelOpen)}
      />
      <Select
        label="Layer"
        value={String(layer)}
        disabled={busy}
        onChange={(value) => setLayer(Number(value) as LayerIndex)}
        options={useLayerOptions(row.layer)}
      />
      <Row wrap gap="0.5rem" className={s.actions}>
        <Button type="submit" look="primary" size="s" icon="run" disabled={problem !== null || busy}>
          {Object.keys(change).length === 0 ? "Encode once more" : "Encode the change"}
        </Button>
        <Button size="s" look="quiet" label="Cancel" disabled={busy} onClick={onClose} />
        {!modelOpen && (
          <Button size="s" look="quiet" disabled={busy} onClick={() => void openModel()}>
            Open the model
          </Button>
        )}
      </Row>
    </Stack>
  );
}

function roomText(tokens: Counted | null, modelOpen: boolean): string {
  if (tokens)
    return `${counted(tokens.valueTokens, "token")}, of ${count(tokens.room)} that fit the model’s window`;
  return modelOpen ? "Counting tokens …" : "The model counts the tokens when it is open; encoding opens it.";
}

function useLayerOptions(own: LayerIndex) {
  const { info, facts } = useApp(({ memory }) => memory);
  const here = (at: LayerIndex): number => facts?.filter(({ layer }) => layer === at).length ?? 0;
  return storingLayers(info?.model.layers ?? own + 2).map((at) => ({
    value: String(at),
    label: `${at}${at === own ? " (current)" : ""}`,
    note: `${info?.layers.includes(at) ? "storage layer" : "not a storage layer yet"}, ${counted(here(at), "fact")}`,
  }));
}

const QUIET = 250;

/** The tokens of the draft as the open model counts them; until then those of the draft before, null at first. */
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

type Counted = Pick<PromptTokens, "text" | "valueTokens" | "room">;

export function draftProblem(draft: string, tokens: Counted | null): string | null {
  if (draft.trim() === "") return "A fact needs words. To take it out of the memory, delete it.";
  if (tokens?.text === draft.trim() && tokens.valueTokens > tokens.room)
    return `${counted(tokens.valueTokens, "token")} do not fit: the window has room for ${tokens.room} behind the prompt. Shorten it.`;
  return null;
}

type Change = ReturnType<typeof changeOf>;

export function changeOf(
  { value, layer }: Pick<Worded, "value" | "layer">,
  draft: string,
  chosen: LayerIndex,
) {
  const words = draft.trim();
  return { ...(words === value ? {} : { value: words }), ...(chosen === layer ? {} : { layer: chosen }) };
}

/** The change that restores `before`; null if nothing changed or the old words are unknown. */
export function backTo(before: Worded, after: Worded): Change | null {
  const layer = before.layer === after.layer ? {} : { layer: before.layer };
  if (before.value !== after.value) return before.value === null ? null : { value: before.value, ...layer };
  return before.layer === after.layer ? null : layer;
}

/** Layers that can store facts, of a model of `count` layers: all but the last, as src/memory/probe.ts has it. */
export const storingLayers = (count: number): readonly LayerIndex[] =>
  Array.from({ length: Math.max(count - 1, 1) }, (_, i) => i as LayerIndex);

/** The result of a change in words; `outdone` describes an encoding that was discarded because `after` is better. */
export function changeText(before: Worded, after: Worded, outdone?: Pick<FactRow, "exact" | "fidelity">) {
  if (outdone) return staysText(after, outdone);
  const parts = [
    before.value === after.value ? "" : "new value",
    before.layer === after.layer ? "" : `layer ${before.layer} → ${after.layer}`,
  ].filter(Boolean);
  const how = after.exact
    ? `recalled exactly${after.steps > 0 ? ` after ${counted(after.steps, "step")}` : ""}`
    : "not recalled exactly; the recalled words are shown above";
  return `${parts.length > 0 ? `Encoded with ${parts.join(", ")}` : "Encoded again"}: ${how}.`;
}
