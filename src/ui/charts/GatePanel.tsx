/**
 * @file The gate of one recall: sliders for θ and β over saved similarities, both reads by position, the competitors at
 * a position, and the text that both reads decoded. No model runs here.
 */

import { useMemo, useState } from "react";
import { competitorWeights, gateStrip, type Read } from "../../figures/gates.ts";
import type { Source } from "../../figures/figure.ts";
import type { RecallTrace } from "../../records/trace.ts";
import { Slider } from "../controls/Slider.tsx";
import type { Column } from "../table/column.ts";
import { Table } from "../table/Table.tsx";
import { FigureView } from "./FigureView.tsx";
import { GateStrip } from "./GateStripFigure.tsx";
import { Note, Row, Stack } from "../controls/layout.tsx";
import s from "./charts.module.css";

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
          label={<>θ, the gate’s threshold</>}
          tone="lapis"
          value={gate.theta}
          min={0}
          max={1}
          step={0.01}
          format={(value) => value.toFixed(2)}
          onChange={(theta) => setGate((now) => ({ ...now, theta }))}
        />
        <Slider
          label={<>β, sharpness of the weights</>}
          tone="lapis"
          value={gate.beta}
          min={1}
          max={200}
          step={1}
          onChange={(beta) => setGate((now) => ({ ...now, beta }))}
        />
      </Row>
      <div className={s.pair}>
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

interface RecalledText {
  readonly name: string;
  readonly text: string;
}

const TEXT_COLUMNS: readonly Column<RecalledText>[] = [
  { id: "read", label: "Read", names: true, look: "soft", cell: ({ name }) => name },
  { id: "text", label: "Text", look: "words", cell: ({ text }) => text },
];

/** The stored value of the vector and the text of both reads. */
const textsOf = ({ value, soft, top1 }: RecallTrace): readonly RecalledText[] => [
  ...(value
    ? [
        {
          name: "stored",
          text: value
            .map(({ text }) => text)
            .join("")
            .trim(),
        },
      ]
    : []),
  { name: "soft read", text: soft.text },
  { name: "top-1 read", text: top1.text },
];
