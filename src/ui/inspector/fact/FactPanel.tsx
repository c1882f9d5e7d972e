/** @file Everything about one fact: what is stored, what the model says, why, and what can be done with it. */

import { useState, type ReactNode } from "react";
import type { FactId } from "../../../records/ids.ts";
import type { FactRow, Notebook } from "../../../records/notebook.ts";
import { currentOf, useApp } from "../../app.tsx";
import { GuardedBody } from "../../cells/frame/GuardedBody.tsx";
import { FactPicking } from "../../charts/FactPicking.tsx";
import { Disclosure } from "../../controls/Disclosure.tsx";
import { Notice } from "../../controls/Badge.tsx";
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
  if (!rows || !notebook)
    return (
      <p className={s.soft} role="status">
        Reading the memory …
      </p>
    );
  const row = rows.find((one) => one.id === id);
  if (!row || leaving)
    return (
      <p className={s.soft} role="status">
        {leaving
          ? "This fact is being deleted. Undo it in the notice below, or step on."
          : "This fact is not in the memory of this notebook. It was deleted, or the link belongs to another notebook."}
      </p>
    );
  return (
    <FactPicking facts={rows}>
      <Fact key={id} notebook={notebook} row={row} rows={rows} open={open} onOpen={setOpen} />
    </FactPicking>
  );
}

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
  const sections: readonly (readonly [string, (tools: FactTools) => ReactNode])[] = [
    ["Recall prompt", (given) => <PromptSection tools={given} />],
    ["Key and residual", (given) => <VectorSection tools={given} />],
    ["Routing", (given) => <RoutingSection tools={given} />],
    ["Nearest facts", (given) => <NearestSection tools={given} />],
    ["Loss curve", (given) => <LossSection tools={given} />],
  ];
  return (
    <div className={s.fact}>
      <FactRecord row={row} notebook={notebook} />
      <FactActions
        tools={tools}
        editing={editing}
        onEdit={() => {
          setEditing(!editing);
        }}
      />
      <EditFact
        tools={tools}
        open={editing}
        onClose={() => {
          setEditing(false);
        }}
      />
      <section aria-label="Sentence in context" className={s.section}>
        <h4 className={s.heading}>In its text</h4>
        <SentenceSection tools={tools} rows={rows} />
      </section>
      <section aria-label="Recall" className={s.section}>
        <h4 className={s.heading}>Recall</h4>
        <GuardedBody>
          <RecallSection
            key={`${row.value} ${row.layer} ${row.steps} ${row.deltaNorm}`}
            tools={tools}
            rows={rows}
          />
        </GuardedBody>
      </section>
      <div className={s.more}>
        {sections.map(([name, draw]) => (
          <Disclosure
            key={name}
            summary={name}
            open={open.has(name)}
            onOpenChange={(now) => {
              const next = new Set(open);
              if (now) next.add(name);
              else next.delete(name);
              onOpen(next);
            }}
          >
            <GuardedBody>{draw(tools)}</GuardedBody>
          </Disclosure>
        ))}
      </div>
      <section aria-label="History" className={s.section}>
        <h4 className={s.heading}>History</h4>
        <HistoryList notebook={notebook} row={row} />
      </section>
    </div>
  );
}
