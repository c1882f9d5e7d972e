/** @file Recalling a fact now: its words, its gate and its rivals, and on demand the recall seen from inside. */

import { lazy, Suspense, useEffect, useMemo, useRef, useState } from "react";
import { toldOf } from "../../../../lib/format.ts";
import { reconstructionDiff } from "../../../../figures/reconstruction.ts";
import type { Reconstruction } from "../../../../records/answer.ts";
import type { FactRow } from "../../../../records/notebook.ts";
import { SHARP } from "../../../../records/params.ts";
import { useApp, useAppState, useServices } from "../../../app.tsx";
import { Competitors } from "../../../facts/Competitors.tsx";
import { GateScale } from "../../../facts/GateScale.tsx";
import { RecalledParts } from "../../../facts/RecalledParts.tsx";
import { cosine } from "../../../facts/gateText.ts";
import { Button } from "../../../controls/Button.tsx";
import { Recalled } from "../../../facts/Recalled.tsx";
import { Failed, Loading } from "../Loading.tsx";
import { firstPartOnly } from "../history.ts";
import type { FactTools } from "../useFact.ts";
import { Row, Stack } from "../../../controls/layout.tsx";
import s from "../FactPanel.module.css";

const Inside = lazy(() =>
  import("../../../charts/GatePanel.tsx").then(({ GatePanel }) => ({ default: GatePanel })),
);
const Lens = lazy(() => import("./LensView.tsx").then(({ LensView }) => ({ default: LensView })));
const FigureView = lazy(() =>
  import("../../../charts/FigureView.tsx").then(({ FigureView }) => ({ default: FigureView })),
);

type State =
  | { readonly kind: "idle" | "asking" }
  | { readonly kind: "said"; readonly fact: Reconstruction }
  | { readonly kind: "failed"; readonly message: string };

export function RecallSection({
  tools,
  rows,
}: {
  readonly tools: FactTools;
  readonly rows: readonly FactRow[];
}) {
  const { memory, row, cellId, saved, openModel } = tools;
  const { engine } = useServices();
  const state = useAppState();
  const [recall, setRecall] = useState<State>({ kind: "idle" });
  const asking = useRef<AbortController | null>(null);
  useEffect(() => () => asking.current?.abort(), []);
  if (saved)
    return (
      <p className={s.soft}>
        These facts are those of the saved example. Run all cells: the facts are then stored in this browser,
        and can be recalled one by one.
      </p>
    );
  const ask = async (): Promise<void> => {
    setRecall({ kind: "asking" });
    const { signal } = (asking.current = new AbortController());
    try {
      if (!(await openModel()))
        throw new Error(state().runs[cellId]?.problem?.message ?? "The model was not opened.");
      const [fact] = await engine().recall({ memory, ids: [row.id] }, { signal });
      if (!fact) throw new Error("The memory no longer has this fact.");
      setRecall({ kind: "said", fact });
    } catch (error) {
      setRecall({ kind: "failed", message: toldOf(error) });
    }
  };
  return (
    <div aria-live="polite" aria-busy={recall.kind === "asking"}>
      <Button size="s" icon="run" disabled={recall.kind === "asking"} onClick={() => void ask()}>
        {recall.kind === "asking" ? "Recalling …" : recall.kind === "said" ? "Recall again" : "Recall now"}
      </Button>
      {recall.kind === "failed" && <Failed message={recall.message} />}
      {recall.kind === "said" && <Said fact={recall.fact} tools={tools} rows={rows} />}
    </div>
  );
}

function Said({
  fact,
  tools,
  rows,
}: {
  readonly fact: Reconstruction;
  readonly tools: FactTools;
  readonly rows: readonly FactRow[];
}) {
  const { row } = tools;
  const { theta, beta } = useApp(({ memory }) => memory.info?.params) ?? SHARP;
  const known = useMemo(() => new Map(rows.map((one) => [one.id as string, one])), [rows]);
  const [shown, setShown] = useState<"trace" | "lens" | "tokens" | null>(null);
  const { read, text } = fact;
  const toggle = (name: "trace" | "lens" | "tokens", label: string) => (
    <Button size="s" aria-expanded={shown === name} onClick={() => setShown(shown === name ? null : name)}>
      {label}
    </Button>
  );
  const exact = row.value === null ? row.exact : text === row.value;
  // The tokens are those of the whole value.
  const note = shown && shown !== "tokens" ? firstPartOnly(row, "the recall") : null;
  return (
    <Stack gap="0.5rem" above="0.6rem">
      <p className={s.value} data-recalled>
        <Recalled stored={row.value ?? text} said={text} exact={exact} />
      </p>
      <Row as="p" wrap align="center" gap="0.2rem 0.7rem" size="s">
        <GateScale similarity={read.similarity} theta={theta} open={read.gateOpen} />
        <span className="num">{cosine(read.similarity)}</span>
        <span className={read.gateOpen ? s.open : s.soft}>{read.gateOpen ? "gate open" : "gate closed"}</span>
        <span className={s.soft}>{equalityText(row, exact)}</span>
      </Row>
      <RecalledParts fact={fact} />
      <Competitors read={read} own={row.id} rows={known} beta={beta} />
      <Row wrap gap="0.5rem" className={s.actions} role="group" aria-label="Seen from inside">
        {toggle("trace", "Gate, position by position")}
        {toggle("lens", "Logit lens")}
        {toggle("tokens", "Tokens")}
      </Row>
      <Suspense fallback={<p className={s.soft}>Fetching the figures …</p>}>
        {note && <p className={s.soft}>{note}</p>}
        {shown && <Inner key={shown} shown={shown} tools={tools} />}
      </Suspense>
    </Stack>
  );
}

/** Compares the new recall with the stored text. */
function equalityText({ value }: FactRow, exact: boolean): string {
  if (value !== null) return exact ? "as stored" : "differs from the stored sentence";
  return exact ? "was exact when it was stored" : "was not exact when it was stored";
}

function Inner({ shown, tools }: { readonly shown: "trace" | "lens" | "tokens"; readonly tools: FactTools }) {
  const { memory, row, source } = tools;
  if (shown === "trace")
    return (
      <Loading
        ask={({ engine }, signal) => engine().trace({ memory, id: row.id }, { signal })}
        inputs={[memory, row]}
        what="Recalling with both reads"
      >
        {(trace) => <Inside trace={trace} source={source("trace")} />}
      </Loading>
    );
  if (shown === "lens")
    return (
      <Loading
        ask={({ engine }, signal) => engine().lens({ memory, id: row.id }, { signal })}
        inputs={[memory, row]}
        what="Reading every layer, with δ and without"
      >
        {(lens) => <Lens lens={lens} source={source("logit lens")} />}
      </Loading>
    );
  return (
    <Loading
      ask={({ engine }, signal) => engine().tokenPairs({ memory, ids: [row.id] }, { signal })}
      inputs={[memory, row]}
      what="Recalling token by token"
    >
      {([pair]) =>
        pair ? (
          <FigureView figure={reconstructionDiff(pair, source("recall"))} />
        ) : (
          <p className={s.soft}>
            The stored value of this fact is not known; there is nothing to compare with.
          </p>
        )
      }
    </Loading>
  );
}
