/** @file One recall of an answer: its gate panel, and on demand the logits and the lens. */

import { useState } from "react";
import type { Source } from "../../figures/figure.ts";
import { reconstructionFigures } from "../../figures/registry.ts";
import type { Answer } from "../../records/answer.ts";
import type { FactId } from "../../records/ids.ts";
import type { Stamp } from "../../records/notebook.ts";
import { useActions, useApp, useServices } from "../app.tsx";
import { Button } from "../controls/Button.tsx";
import { Select } from "../controls/Select.tsx";
import { Asked } from "../controls/Asked.tsx";
import { FactPicking } from "./FactPicking.tsx";
import { FigureList } from "./FigureView.tsx";
import { GatePanel } from "./GatePanel.tsx";
import { savedSource } from "./sections/memoryRows.ts";
import { useAsync } from "../controls/useAsync.ts";
import { Row, Stack, Text } from "../controls/layout.tsx";

export interface RecallProps {
  readonly memory: string;
  readonly cellId: string;
  readonly answer: Answer;
  readonly stamp?: Stamp | null | undefined;
}

const SAVED =
  "This answer was saved with the example, whose vectors are not in this browser. Run all cells to inspect its recalls.";
const GONE = "This fact was deleted after the answer.";

export function RecallSections({ memory, cellId, answer, stamp }: RecallProps) {
  const { recalled, settings, question } = answer;
  const first = recalled.find(({ key }) => answer.cited.includes(key)) ?? recalled[0]!;
  const [id, setId] = useState<FactId>(first.id);
  const { engine } = useServices();
  const { ensureModel, inspect } = useActions();
  const facts = useApp(({ memory }) => memory.facts);
  const { theta, beta } = settings;
  const saved = useApp(({ memory }) => memory.fromExample);
  const gone = facts !== null && !facts.some((fact) => fact.id === id);
  const trace = useAsync(
    async (signal) => {
      await ensureModel(cellId);
      return engine().trace({ memory, id, theta, beta }, { signal });
    },
    [engine, ensureModel, cellId, memory, id, theta, beta],
    { wanted: !saved && !gone },
  );
  const source = savedSource(`recalled again, as for “${question}”`, stamp ?? null);
  return (
    <FactPicking facts={facts ?? []}>
      <Stack gap="1.25rem">
        <Row wrap gap="0.5rem 1.5rem" align="end">
          <Select
            label="Recalled fact"
            value={id}
            onChange={setId}
            options={recalled.map((fact) => ({ value: fact.id, label: fact.key, note: fact.text }))}
          />
          <Button size="s" look="quiet" onClick={() => inspect({ kind: "fact", id })}>
            Open this fact
          </Button>
        </Row>
        {saved || gone ? (
          <Text as="p" tone="soft" size="s">
            {saved ? SAVED : GONE}
          </Text>
        ) : (
          <Asked state={trace} what="Recalling the fact with both reads">
            {(seen) => (
              <>
                <GatePanel key={seen.id} trace={seen} source={source} />
                <Lens memory={memory} id={id} source={source} />
              </>
            )}
          </Asked>
        )}
      </Stack>
    </FactPicking>
  );
}

function Lens({
  memory,
  id,
  source,
}: {
  readonly memory: string;
  readonly id: FactId;
  readonly source: Source;
}) {
  const { engine } = useServices();
  const [asked, setAsked] = useState<FactId | null>(null);
  const lens = useAsync((signal) => engine().lens({ memory, id }, { signal }), [engine, memory, id], {
    wanted: asked === id,
  });
  return (
    <Asked
      state={lens}
      what="Reading the residual stream after every layer"
      start={{
        label: "Token by token",
        note: "Logits with and without δ, and the logit lens. Runs the model twice per token.",
        go: () => setAsked(id),
      }}
    >
      {(read) => (
        <FigureList figures={reconstructionFigures({ source, trace: null, pair: null, lens: read })} />
      )}
    </Asked>
  );
}
