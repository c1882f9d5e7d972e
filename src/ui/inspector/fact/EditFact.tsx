/** @file Changing a fact: its value and its layer, checked against the window, encoded, told, and taken back. */

import { useState } from "react";
import type { LayerIndex } from "../../../records/ids.ts";
import type { FactRow, Reencoding } from "../../../records/notebook.ts";
import { useActions, useApp, useAppState, useRun, useServices } from "../../app.tsx";
import { Notice } from "../../controls/Badge.tsx";
import { Button } from "../../controls/Button.tsx";
import { TextArea } from "../../controls/Field.tsx";
import { Progress } from "../../controls/Progress.tsx";
import { Select } from "../../controls/Select.tsx";
import { useAsync } from "../../controls/useAsync.ts";
import { outdone } from "../../facts/encodedAgain.ts";
import { count, counted } from "../../format.ts";
import { changeOf, changeText, draftProblem, storingLayers, type Counted } from "./edit.ts";
import { Failed } from "./Loading.tsx";
import type { FactTools } from "./useFact.ts";
import s from "./FactPanel.module.css";

type Change = ReturnType<typeof changeOf>;
type Outcome =
  | {
      readonly kind: "done";
      readonly before: FactRow;
      readonly after: FactRow;
      /** How the encoding came out where the earlier vector was better and stays. */
      readonly outdone: Reencoding["after"] | null;
    }
  | { readonly kind: "failed"; readonly message: string };

export function EditFact({
  tools,
  open,
  onClose,
}: {
  readonly tools: FactTools;
  readonly open: boolean;
  readonly onClose: () => void;
}) {
  const { row, cellId, memory: id } = tools;
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [busy, setBusy] = useState(false);
  const actions = useActions();
  const state = useAppState();
  const encode = async (change: Change): Promise<boolean> => {
    const before = row;
    setBusy(true);
    setOutcome(null);
    const ok = await actions.reencode(cellId, { id: row.id, ...change });
    setBusy(false);
    const { runs, memory, open: notebooks } = state();
    const notebook = notebooks[id]?.notebook ?? tools.notebook;
    const run = runs[cellId];
    const after = memory.facts?.find(({ id }) => id === before.id);
    if (ok && after)
      setOutcome({ kind: "done", before, after, outdone: outdone(notebook, after)[0]?.after ?? null });
    else if (run?.status === "failed")
      setOutcome({ kind: "failed", message: run.problem?.message ?? "The engine gave no reason." });
    else if (run?.status !== "cancelled")
      setOutcome({
        kind: "failed",
        message: "Another run of the store cell goes on; wait for it, or stop it there.",
      });
    return ok;
  };
  return (
    <div aria-live="polite" className={s.edit}>
      {open && (
        <Form
          tools={tools}
          busy={busy}
          onEncode={async (change) => {
            if (await encode(change)) onClose();
          }}
          onClose={onClose}
        />
      )}
      {busy && <Encoding cellId={cellId} />}
      {outcome?.kind === "failed" && <Failed message={outcome.message} />}
      {outcome?.kind === "done" && !busy && (
        <Notice
          tone={outcome.after.exact ? "verdigris" : "ochre"}
          role="status"
          actions={
            // The same value at the same layer has nothing to go back to.
            changed(outcome) && (
              <Button
                size="s"
                icon="undo"
                onClick={() => {
                  const { value, layer } = outcome.before;
                  void encode(changeOf(row, value, layer)).then((ok) => {
                    if (ok) setOutcome(null);
                  });
                }}
              >
                Undo
              </Button>
            )
          }
        >
          {changeText(outcome.before, outcome.after, outcome.outdone)}
        </Notice>
      )}
    </div>
  );
}

const changed = ({ before, after }: Extract<Outcome, { kind: "done" }>): boolean =>
  before.value !== after.value || before.layer !== after.layer;

function Form({
  tools: { row, memory, modelOpen, openModel },
  busy,
  onEncode,
  onClose,
}: {
  readonly tools: FactTools;
  readonly busy: boolean;
  readonly onEncode: (change: Change) => Promise<void>;
  readonly onClose: () => void;
}) {
  const info = useApp((state) => state.memory.info);
  const facts = useApp((state) => state.memory.facts);
  const [draft, setDraft] = useState(row.value);
  const [layer, setLayer] = useState<LayerIndex>(row.layer);
  const tokens = useTokens(memory, row, draft, modelOpen);
  const problem = draftProblem(draft, tokens);
  const change = changeOf(row, draft, layer);
  const nothing = Object.keys(change).length === 0;
  const here = (at: LayerIndex): number => facts?.filter((fact) => fact.layer === at).length ?? 0;
  return (
    <form
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
        hint={
          tokens ? (
            <>
              <span className="num">{count(tokens.valueTokens)}</span> tokens, of{" "}
              <span className="num">{count(tokens.room)}</span> that fit the model’s window
            </>
          ) : modelOpen ? (
            "Counting tokens …"
          ) : (
            "The model counts the tokens when it is open; encoding opens it."
          )
        }
      />
      <Select
        label="Layer"
        value={String(layer)}
        disabled={busy}
        onChange={(value) => {
          setLayer(Number(value) as LayerIndex);
        }}
        options={storingLayers(info?.model.layers ?? row.layer + 2).map((at) => ({
          value: String(at),
          label: `${at}${at === row.layer ? ", where it is" : ""}`,
          note: `${info?.layers.includes(at) ? "storage layer" : "not a storage layer yet"}, ${counted(here(at), "fact")}`,
        }))}
      />
      <div className={s.actions}>
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
      </div>
    </form>
  );
}

/** Milliseconds of quiet before a draft is counted. */
const QUIET = 250;

/** The draft's tokens as the open model counts them; null until they are. */
function useTokens(memory: string, { id }: FactRow, draft: string, modelOpen: boolean): Counted | null {
  const { engine } = useServices();
  const text = draft.trim();
  const ask = async (): Promise<Counted> => {
    const { valueTokens, room } = await engine().prompt({ memory, id, value: text });
    return { text, valueTokens, room };
  };
  // One that failed says nothing: encoding checks it again, and says what is wrong.
  return useAsync(ask, [engine, memory, id, text], {
    wanted: modelOpen && text !== "",
    delay: QUIET,
    keep: true,
  }).value;
}

function Encoding({ cellId }: { readonly cellId: string }) {
  const run = useRun(cellId);
  const { cancelCell } = useActions();
  const progress = run?.progress;
  const line = progress?.kind === "flow" ? progress.stages.at(-1) : null;
  const label =
    progress?.kind === "load"
      ? "Opening the model"
      : run?.status === "queued"
        ? "Waiting for another run"
        : "Encoding the fact";
  const steps = line?.encode?.losses.length ?? 0;
  return (
    <div className={s.encoding}>
      <Progress
        label={label}
        done={progress?.kind === "load" ? progress.load.done : 0}
        total={progress?.kind === "load" ? progress.load.total : null}
        detail={steps > 0 ? `step ${steps}` : undefined}
      />
      <Button
        size="s"
        look="quiet"
        icon="stop"
        onClick={() => {
          cancelCell(cellId);
        }}
      >
        Stop
      </Button>
    </div>
  );
}
