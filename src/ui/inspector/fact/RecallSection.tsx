/** @file Recalling a fact now: its words, its gate and the keys that competed, and on demand the recall from inside. */

import { Suspense, lazy, useMemo, useState } from "react";
import type { Reconstruction } from "../../../records/answer.ts";
import { isValue } from "../../../records/digest.ts";
import type { FactRow } from "../../../records/notebook.ts";
import { SHARP } from "../../../records/params.ts";
import { useApp, useAppState, useServices } from "../../app.tsx";
import { Asked, useAsync } from "../../controls/useAsync.tsx";
import { Button } from "../../controls/basics.tsx";
import { Row, Stack } from "../../controls/layout.tsx";
import { Gate, RecallDetails } from "../../facts/RecallDetails.tsx";
import { firstPartOnly, type FactTools } from "./useFact.ts";
import type { View } from "./Inside.tsx";
import s from "./FactPanel.module.css";

const Inside = lazy(() => import("./Inside.tsx").then((module) => ({ default: module.Inside })));

interface RecallProps {
  readonly tools: FactTools;
  readonly rows: readonly FactRow[];
}

export function RecallSection({ tools, rows }: RecallProps) {
  const { memory, row, cellId, saved, openModel } = tools;
  const { engine } = useServices();
  const state = useAppState();
  const [turn, setTurn] = useState(0);
  const recall = useAsync(
    async (signal) => {
      if (!(await openModel()))
        throw new Error(state().runs[cellId]?.problem?.message ?? "The model was not opened.");
      const [fact] = await engine().recall({ memory, ids: [row.id] }, { signal });
      if (!fact) throw new Error("The memory no longer has this fact.");
      return fact;
    },
    [engine, memory, row.id, turn],
    { wanted: turn > 0 },
  );
  if (saved)
    return (
      <p className={s.soft}>
        These facts are those of the saved example. Run all cells: the facts are then stored in this browser,
        and can be recalled one by one.
      </p>
    );
  const busy = recall.status === "waiting";
  return (
    <div aria-live="polite" aria-busy={busy}>
      <Button size="s" icon="run" disabled={busy} onClick={() => setTurn(turn + 1)}>
        {busy ? "Recalling …" : recall.status === "there" ? "Recall again" : "Recall now"}
      </Button>
      {!busy && recall.status !== "idle" && (
        <Asked state={recall} what="Recalling">
          {(fact) => <Said fact={fact} tools={tools} rows={rows} />}
        </Asked>
      )}
    </div>
  );
}

const VIEWS: Readonly<Record<View, string>> = {
  trace: "Gate, position by position",
  lens: "Logit lens",
};

function Said({ fact, tools, rows }: RecallProps & { readonly fact: Reconstruction }) {
  const { row } = tools;
  const info = useApp(({ memory }) => memory.info);
  const { theta, beta } = info?.params ?? SHARP;
  const known = useMemo(() => new Map(rows.map((one) => [one.id as string, one])), [rows]);
  const [shown, setShown] = useState<View | null>(null);
  const { read, text } = fact;
  const exact = isValue(text, row, info?.salts ?? []);
  // The tokens are those of the whole value.
  const note = shown ? firstPartOnly(row, "the recall") : null;
  return (
    <Stack gap="0.5rem" above="0.6rem">
      <p className={s.value} data-recalled>
        {text}
      </p>
      <Row as="p" wrap align="center" gap="0.2rem 0.7rem" size="s">
        <Gate similarity={read.similarity} theta={theta} state={read.gateOpen ? "open" : "closed"} />
        <span className={s.soft}>
          {exact ? "word for word, by its hash" : "differs from the stored sentence"}
        </span>
      </Row>
      <RecallDetails fact={fact} rows={known} beta={beta} />
      <Row wrap gap="0.5rem" className={s.actions} role="group" aria-label="Seen from inside">
        {Object.entries(VIEWS).map(([view, label]) => (
          <Button
            key={view}
            size="s"
            label={label}
            aria-expanded={shown === view}
            onClick={() => setShown(shown === view ? null : (view as View))}
          />
        ))}
      </Row>
      <Suspense fallback={<p className={s.soft}>Fetching the figures …</p>}>
        {note && <p className={s.soft}>{note}</p>}
        {shown && <Inside key={shown} view={shown} tools={tools} />}
      </Suspense>
    </Stack>
  );
}
