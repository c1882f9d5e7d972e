/** @file Changing a fact: its value and its layer, checked against the window, encoded, told, and taken back. */

import { useState } from "react";
import type { FactRow, Reencoding } from "../../../records/notebook.ts";
import { useActions, useApp, useAppState, useRun, useServices } from "../../app.tsx";
import { Notice } from "../../controls/Badge.tsx";
import { Button } from "../../controls/Button.tsx";
import { Progress } from "../../controls/Progress.tsx";
import { outdone } from "../../facts/words.ts";
import { useStored } from "../../facts/Recalled.tsx";
import { ASKING_SOFT } from "../../facts/words.ts";
import {
  backTo,
  changeOf,
  changeText,
  draftProblem,
  inWords,
  storingLayers,
  type Change,
  type Counted,
} from "./edit.ts";
import { Failed } from "./Loading.tsx";
import type { FactTools } from "./useFact.ts";
import { Row, Stack } from "../../controls/layout.tsx";
import type { LayerIndex } from "../../../records/ids.ts";
import { TextArea } from "../../controls/Field.tsx";
import { Select } from "../../controls/Select.tsx";
import { useAsync } from "../../controls/useAsync.ts";
import { count, counted } from "../../format.ts";
import s from "./FactPanel.module.css";

interface Done {
  readonly kind: "done";
  readonly before: FactRow;
  readonly after: FactRow;
  /** How the encoding came out where the earlier vector was better and stays. */
  readonly outdone: Reencoding["after"] | null;
}
type Outcome = Done | { readonly kind: "failed"; readonly message: string };

export function EditFact({
  tools,
  open,
  onClose,
}: {
  readonly tools: FactTools;
  readonly open: boolean;
  readonly onClose: () => void;
}) {
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [busy, setBusy] = useState(false);
  const { reencode } = useActions();
  const outcomeOf = useOutcome(tools);
  const before = inWords(tools.row, useStored(tools.row));
  const encode = async (change: Change): Promise<boolean> => {
    setBusy(true);
    setOutcome(null);
    const ok = await reencode(tools.cellId, { id: tools.row.id, ...change });
    setBusy(false);
    setOutcome(outcomeOf(ok, before, change));
    return ok;
  };
  const undo = async (back: Change): Promise<void> => {
    if (await encode(back)) setOutcome(null);
  };
  const onEncode = async (change: Change): Promise<void> => {
    if (await encode(change)) onClose();
  };
  return (
    <div aria-live="polite" className={s.edit}>
      {open && <EditForm tools={tools} busy={busy} onEncode={onEncode} onClose={onClose} />}
      {busy && <Encoding cellId={tools.cellId} />}
      {outcome?.kind === "failed" && <Failed message={outcome.message} />}
      {outcome?.kind === "done" && !busy && <Told outcome={outcome} onUndo={(back) => void undo(back)} />}
    </div>
  );
}

/** The result of an encoding that has just ended; null if it was cancelled. */
function useOutcome({
  row,
  cellId,
  memory: id,
  notebook: before,
}: FactTools): (ok: boolean, was: FactRow, change: Change) => Outcome | null {
  const state = useAppState();
  return (ok, was, { value = was.value }) => {
    const { runs, memory, open } = state();
    const run = runs[cellId];
    const after = memory.facts?.find((fact) => fact.id === row.id);
    if (ok && after) {
      const [worse] = outdone(open[id]?.notebook ?? before, after);
      return {
        kind: "done",
        before: was,
        after: { ...after, value: after.value ?? value },
        outdone: worse?.after ?? null,
      };
    }
    if (run?.status === "failed")
      return { kind: "failed", message: run.problem?.message ?? "The engine gave no reason." };
    if (run?.status === "cancelled") return null;
    return {
      kind: "failed",
      message: "Another run of the memory cell goes on; wait for it, or stop it there.",
    };
  };
}

function Told({ outcome, onUndo }: { readonly outcome: Done; readonly onUndo: (back: Change) => void }) {
  const { before, after } = outcome;
  const back = backTo(before, after);
  const undo = back && (
    <Button size="s" icon="undo" onClick={() => onUndo(back)}>
      Undo
    </Button>
  );
  return (
    <Notice tone={after.exact ? "verdigris" : "ochre"} role="status" actions={undo}>
      {changeText(before, after, outcome.outdone)}
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
      <Button size="s" look="quiet" icon="stop" onClick={() => cancelCell(cellId)}>
        Stop
      </Button>
    </Row>
  );
}

function EditForm({
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
    label: `${at}${at === own ? " (current)" : ""}`,
    note: `${info?.layers.includes(at) ? "storage layer" : "not a storage layer yet"}, ${counted(here(at), "fact")}`,
  }));
}

/** Milliseconds of quiet before a draft is counted. */
const QUIET = 250;

/**
 * The draft's tokens as counted by the open model, or those of the previous draft until then; null at first. Errors are
 * left to the encoding, which counts again.
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
