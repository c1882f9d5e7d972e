/** @file Everything about one fact: what is stored, what the model says, why, and what can be done with it. */

import { useState, type ComponentType } from "react";
import type { FactId } from "../../../records/ids.ts";
import type { FactRow, Notebook } from "../../../records/notebook.ts";
import { currentOf, useApp } from "../../app.tsx";
import { GuardedBody } from "../../cells/frame/GuardedBody.tsx";
import { FactPicking } from "../../charts/FactPicking.tsx";
import { Disclosure } from "../../controls/Disclosure.tsx";
import { Notice } from "../../controls/Badge.tsx";
import { toggled } from "../../table/selection.ts";
import { EditFact } from "./EditFact.tsx";
import { FactActions } from "./FactActions.tsx";
import { HistoryList } from "./HistoryList.tsx";
import { LossSection } from "./LossSection.tsx";
import { NearestSection } from "./NearestSection.tsx";
import { PromptSection } from "./PromptSection.tsx";
import { RecallSection } from "./recall/RecallSection.tsx";
import { FactRecord } from "./FactRecord.tsx";
import { RoutingSection } from "./RoutingSection.tsx";
import { SentenceSection } from "./SentenceSection.tsx";
import { useFactTools, useRows, type FactTools } from "./useFact.ts";
import { VectorSection } from "./VectorSection.tsx";
import { Stack } from "../../controls/layout.tsx";
import s from "./FactPanel.module.css";

export function FactPanel({ target: { id } }: { readonly target: { readonly id: FactId } }) {
  const rows = useRows();
  const problem = useApp(({ memory }) => memory.problem);
  const leaving = useApp(({ memory }) => memory.leaving.has(id));
  const notebook = useApp((state) => currentOf(state)?.notebook);
  // Which sections are open stays when one steps to the next fact.
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  if (problem)
    return (
      <Notice tone="rubric" role="alert" title="The facts could not be read.">
        {problem.message}
      </Notice>
    );
  const row = rows?.find((one) => one.id === id);
  if (!rows || !notebook || !row || leaving)
    return (
      <p className={s.soft} role="status">
        {!rows || !notebook ? "Reading the memory …" : leaving ? LEAVING : MISSING}
      </p>
    );
  return (
    <FactPicking facts={rows}>
      <Fact key={id} notebook={notebook} row={row} rows={rows} open={open} onOpen={setOpen} />
    </FactPicking>
  );
}

const LEAVING = "This fact is being deleted. Undo it in the notice below, or step on.";
const MISSING =
  "This fact is not in the memory of this notebook. It was deleted, or the link belongs to another notebook.";

/** Closed at first: what they show is fetched when they are opened. */
const SECTIONS: Readonly<Record<string, ComponentType<{ readonly tools: FactTools }>>> = {
  "Recall prompt": PromptSection,
  "Key and residual": VectorSection,
  Routing: RoutingSection,
  "Nearest facts": NearestSection,
  "Loss curve": LossSection,
};

function Fact({
  notebook,
  row,
  rows,
  open,
  onOpen,
}: {
  readonly notebook: Notebook;
  readonly row: FactRow;
  readonly rows: readonly FactRow[];
  readonly open: ReadonlySet<string>;
  readonly onOpen: (open: ReadonlySet<string>) => void;
}) {
  const tools = useFactTools(notebook, row);
  const [editing, setEditing] = useState(false);
  return (
    <Stack gap={4}>
      <FactRecord row={row} notebook={notebook} />
      <FactActions tools={tools} editing={editing} onEdit={() => setEditing(!editing)} />
      <EditFact tools={tools} open={editing} onClose={() => setEditing(false)} />
      <Stack as="section" aria-label="Sentence in context" gap="0.5rem" className={s.section}>
        <h4 className={s.heading}>In its text</h4>
        <SentenceSection tools={tools} rows={rows} />
      </Stack>
      <Stack as="section" aria-label="Recall" gap="0.5rem" className={s.section}>
        <h4 className={s.heading}>Recall</h4>
        <GuardedBody>
          <RecallSection
            key={`${row.value} ${row.layer} ${row.steps} ${row.deltaNorm}`}
            tools={tools}
            rows={rows}
          />
        </GuardedBody>
      </Stack>
      <div className={s.more}>
        {Object.entries(SECTIONS).map(([name, Section]) => (
          <Disclosure
            key={name}
            summary={name}
            open={open.has(name)}
            onOpenChange={() => onOpen(toggled(open, name))}
          >
            <GuardedBody>
              <Section tools={tools} />
            </GuardedBody>
          </Disclosure>
        ))}
      </div>
      <Stack as="section" aria-label="History" gap="0.5rem" className={s.section}>
        <h4 className={s.heading}>History</h4>
        <HistoryList notebook={notebook} row={row} />
      </Stack>
    </Stack>
  );
}
