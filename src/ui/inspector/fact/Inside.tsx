/** @file One recall seen from inside: its gate by position at any θ and β, or the logit lens. */

import { reconstructionFigures } from "../../../figures/registry.ts";
import { FigureList, FigureView } from "../../charts/FigureView.tsx";
import { Ask } from "../../controls/useAsync.tsx";
import type { FactTools } from "./useFact.ts";
import { useMemo, useState } from "react";
import { competitorWeights, gateStrip, type Read } from "../../../figures/gates.ts";
import type { Source } from "../../../figures/figure.ts";
import type { RecallTrace } from "../../../records/trace.ts";
import { Slider } from "../../controls/Field.tsx";
import { type Column, Table } from "../../table/Table.tsx";
import { GateStrip } from "../../charts/GateStripFigure.tsx";
import { Note, Row, Stack, type Pair } from "../../controls/basics.tsx";
import charts from "../../charts/charts.module.css";

export type View = "trace" | "lens";

export function Inside({ view, tools }: { readonly view: View; readonly tools: FactTools }) {
  const { memory, row, source } = tools;
  const { id } = row;
  const inputs = [memory, row];
  return view === "trace" ? (
    <Ask
      ask={({ engine }, signal) => engine().trace({ memory, id }, { signal })}
      {...{ inputs, what: "Recalling with both reads" }}
    >
      {(trace) => <GatePanel trace={trace} source={source("trace")} />}
    </Ask>
  ) : (
    <Ask
      ask={({ engine }, signal) => engine().lens({ memory, id }, { signal })}
      {...{ inputs, what: "Reading every layer, with δ and without" }}
    >
      {(lens) => <FigureList figures={reconstructionFigures(lens, source("logit lens"))} />}
    </Ask>
  );
}

const READS: readonly Read[] = ["soft", "top1"];

export function GatePanel({ trace, source }: { readonly trace: RecallTrace; readonly source: Source }) {
  const [gate, setGate] = useState({ theta: trace.theta, beta: trace.beta });
  const [{ read, position }, setPlace] = useState<{ read: Read; position: number }>({
    read: "soft",
    position: trace.keyPosition,
  });
  const strips = useMemo(
    () => READS.map((one) => ({ read: one, figure: gateStrip({ trace, read: one, gate }, source) })),
    [trace, gate, source],
  );
  const competitors = useMemo(
    () => competitorWeights({ trace, read, position, gate }, source),
    [trace, read, position, gate, source],
  );
  const moved = gate.theta !== trace.theta || gate.beta !== trace.beta;
  return (
    <Stack gap="1.25rem">
      <Row wrap gap="0.5rem 1.75rem">
        <Slider
          label="θ, the gate’s threshold"
          value={gate.theta}
          min={0}
          max={1}
          step={0.01}
          format={(value) => value.toFixed(2)}
          onChange={(theta) => setGate((now) => ({ ...now, theta }))}
        />
        <Slider
          label="β, sharpness of the weights"
          value={gate.beta}
          min={1}
          max={200}
          step={1}
          onChange={(beta) => setGate((now) => ({ ...now, beta }))}
        />
      </Row>
      <div className={charts.pair}>
        {strips.map(({ read: one, figure }) => (
          <GateStrip
            key={one}
            figure={figure}
            position={one === read ? position : null}
            onPosition={(at) => setPlace({ read: one, position: at })}
          />
        ))}
      </div>
      <Note role="status">
        {moved
          ? `Recorded at θ = ${trace.theta}, β = ${trace.beta}. The gate is recalculated for the tokens shown, without the model.`
          : `As recorded, at θ = ${trace.theta} and β = ${trace.beta}. Click a token to see the keys that compete there.`}
      </Note>
      <Table caption="Stored and recalled text" rows={textsOf(trace)} columns={TEXT_COLUMNS} />
      <FigureView figure={competitors} />
    </Stack>
  );
}

const TEXT_COLUMNS: readonly Column<Pair>[] = [
  { id: "read", label: "Read", names: true, look: "soft", cell: ([read]) => read },
  { id: "text", label: "Text", look: "words", cell: ([, text]) => text },
];

function textsOf({ value, soft, top1 }: RecallTrace): readonly Pair[] {
  const stored = value?.map(({ text }) => text).join("");
  const reads: readonly Pair[] = [
    ["soft read", soft.text],
    ["top-1 read", top1.text],
  ];
  return stored === undefined ? reads : [["stored", stored.trim()], ...reads];
}
