/** @file The panel of a fact: stored and recalled text, vectors, routing, and actions. */

import { useMemo, useState, type ComponentType } from "react";
import { curvesOf, lossCurves } from "../../../figures/encoding.ts";
import { keyText } from "../../../records/fact.ts";
import type { FactId } from "../../../records/ids.ts";
import { modelTag } from "../../../records/memory.ts";
import type { FactRow, Notebook } from "../../../records/notebook.ts";
import { currentOf, useActions, useApp, useFactRows } from "../../app.tsx";
import { FactPicking } from "../../charts/FactPicking.tsx";
import { Figure } from "../../charts/lazyFigures.tsx";
import { Ask, Failed } from "../../controls/useAsync.tsx";
import { Badge, Button, CopyButton } from "../../controls/basics.tsx";
import { Disclosure } from "../../controls/Disclosure.tsx";
import { goToCell, linkTo, toast, openSentence } from "../../controls/page.ts";
import { GuardedBody } from "../../controls/lazily.tsx";
import { Row, Stack, Text, Pairs, type Pair } from "../../controls/layout.tsx";
import { LayerChip, Said } from "../../facts/Recalled.tsx";
import { showUndo } from "../../facts/notices.tsx";
import { documentsOf, shortOfOne } from "../../facts/words.ts";
import { count, counted, dateTime } from "../../format.ts";
import { FirstOf } from "../../table/Table.tsx";
import { toggled } from "../../table/selection.ts";
import { EditFact } from "./EditFact.tsx";
import {
  historyOf,
  stepsText,
  storedIn,
  factHash,
  stepped,
  useFactOrder,
  useFactTools,
  type FactTools,
} from "./useFact.ts";
import { RecallSection } from "./RecallSection.tsx";
import { NearestSection, RoutingSection, PromptSection, SentenceSection } from "./TextSections.tsx";
import { VectorSection } from "./VectorSection.tsx";
import s from "./FactPanel.module.css";

export function FactPanel({ id }: { readonly id: FactId }) {
  const rows = useFactRows();
  const problem = useApp(({ memory }) => memory.problem);
  const leaving = useApp(({ memory }) => memory.leaving.has(id));
  const notebook = useApp((state) => currentOf(state)?.notebook);
  // Which sections are open stays when one steps to the next fact.
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  if (problem) return <Failed title="The facts could not be read." message={problem.message} />;
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

interface Section {
  readonly Body: ComponentType<{ readonly tools: FactTools }>;
  /** Shown instead for the facts of the saved example. */
  readonly saved?: string;
}

const NO_VECTORS =
  "The saved example holds no vectors. Run all cells, and the facts are stored in this browser with theirs.";

/** Closed at first: what they show is fetched when they are opened. */
const SECTIONS: Readonly<Record<string, Section>> = {
  "Recall prompt": { Body: PromptSection },
  "Key and residual": { Body: VectorSection, saved: NO_VECTORS },
  Routing: {
    Body: RoutingSection,
    saved: "The saved example holds no routing index. Run all cells, and it is made in this browser.",
  },
  "Nearest facts": { Body: NearestSection, saved: NO_VECTORS },
  "Loss curve": {
    Body: LossSection,
    saved: "The saved example holds no losses. Run all cells, and they are kept.",
  },
};

interface FactProps {
  readonly notebook: Notebook;
  readonly row: FactRow;
}

interface OpenFactProps extends FactProps {
  readonly rows: readonly FactRow[];
  readonly open: ReadonlySet<string>;
  readonly onOpen: (open: ReadonlySet<string>) => void;
}

function Fact({ notebook, row, rows, open, onOpen }: OpenFactProps) {
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
            key={`${row.digest} ${row.layer} ${row.steps} ${row.deltaNorm}`}
            tools={tools}
            rows={rows}
          />
        </GuardedBody>
      </Stack>
      <Text as="div" ruled="top">
        {Object.entries(SECTIONS).map(([name, { Body, saved }]) => (
          <Disclosure
            key={name}
            summary={name}
            open={open.has(name)}
            onOpenChange={() => onOpen(toggled(open, name))}
          >
            <GuardedBody>
              {tools.saved && saved ? <p className={s.soft}>{saved}</p> : <Body tools={tools} />}
            </GuardedBody>
          </Disclosure>
        ))}
      </Text>
      <Stack as="section" aria-label="History" gap="0.5rem" className={s.section}>
        <h4 className={s.heading}>History</h4>
        <HistoryList notebook={notebook} row={row} />
      </Stack>
    </Stack>
  );
}

function FactRecord({ row, notebook }: FactProps) {
  const info = useApp(({ memory }) => memory.info);
  const documents = useMemo(() => documentsOf(notebook, info), [notebook, info]);
  const title = documents.get(row.documentId)?.title ?? row.documentId;
  const stored = storedIn(row);
  const facts: readonly Pair[] = [
    ["Layer ℓ", <LayerChip key="" layer={row.layer} />],
    ["Fidelity", row.exact ? "exact, token for token" : `token F1 ${shortOfOne(row.fidelity)}`],
    ["Document", title],
    ["Offset o", `${counted(row.offset, "character")} in`],
    ["Tokens t", count(row.tokens)],
    ["Steps", stepsText(row)],
    ...(stored ? [["Stored", stored] as const] : []),
    [stored ? "‖δ‖, the largest" : "‖δ‖", row.deltaNorm.toPrecision(4)],
    [stored ? "Margin, the least" : "Margin", `${row.margin.toPrecision(3)} logits`],
    ["Memorised", row.memorizedAt ? dateTime(row.memorizedAt) : "not known"],
  ];
  return (
    <>
      <Row wrap align="baseline" gap="0.25rem 0.75rem">
        <Text as="h3" shrinks anywhere className={s.key}>
          {keyText(row)}
        </Text>
        {row.exact ? (
          <Badge tone="verdigris" icon="check">
            exact
          </Badge>
        ) : (
          <Badge tone="rubric">F1 {shortOfOne(row.fidelity)}</Badge>
        )}
      </Row>
      <p className={s.value} data-value>
        <Said id={row.id} />
      </p>
      <Pairs className={s.numbers} of={facts} />
    </>
  );
}

export function HistoryList({ notebook, row }: FactProps) {
  const events = useMemo(() => historyOf(notebook, row), [notebook, row]);
  return (
    <FirstOf items={events} first={6} more="earlier event">
      {(shown) => (
        <Stack as="ol" gap="0.6rem" size="s" plainList className={s.history}>
          {shown.map(({ kind, at, text, ran, cellId }, i) => (
            <li key={i}>
              <Text weight="bold">{kind}</Text> {text}
              <Row as="span" wrap gap="0 0.6rem" tone="soft" size="s">
                <span>
                  {at ? <time dateTime={at}>{dateTime(at)}</time> : "when is not known"}
                  {ran && `, ${ran}`}
                </span>
                {cellId && (
                  <button type="button" className={s.link} onClick={() => goToCell(cellId)}>
                    show its cell
                  </button>
                )}
              </Row>
            </li>
          ))}
        </Stack>
      )}
    </FirstOf>
  );
}

function LossSection({ tools: { memory, row } }: { readonly tools: FactTools }) {
  const info = useApp((state) => state.memory.info);
  const model = info ? modelTag(info.model) : "";
  const source = { run: "the fact's last encoding", at: row.memorizedAt, backend: "", model, app: "" };
  return (
    <Ask
      ask={({ library }) => library().curves({ memory, ids: [row.id] })}
      inputs={[memory, row]}
      what="Reading the losses"
    >
      {(losses) => {
        const curves = curvesOf([row], losses);
        const steps = Math.max(0, ...curves.map((curve) => curve.losses.length));
        if (steps === 0)
          return <p className={s.soft}>It was exact before the first step: there was nothing to optimise.</p>;
        return <Figure figure={lossCurves({ curves, guided: info?.params.steps ?? steps }, source)} />;
      }}
    </Ask>
  );
}

interface FactActionsProps {
  readonly tools: FactTools;
  readonly editing: boolean;
  readonly onEdit: () => void;
}

function FactActions({ tools: { row, notebook, storeId, readOnly }, editing, onEdit }: FactActionsProps) {
  const actions = useActions();
  const ids = useFactOrder(row.id);
  const remove = (): void => {
    if (!storeId) return;
    const next = stepped(ids, row.id, 1) ?? stepped(ids, row.id, -1);
    showUndo(keyText(row), actions.deleteFacts(storeId, [row.id]));
    actions.inspect(next && { kind: "fact", id: next });
  };
  const show = (): void => {
    if (!openSentence(row.documentId, row.offset))
      toast.said("No source cell of this notebook lists this document.");
  };
  const noDelete =
    readOnly ?? (storeId ? null : "Add a Memory cell first; deletion certificates are listed there.");
  return (
    <Row wrap gap="0.5rem" className={s.actions}>
      <Button size="s" icon="edit" aria-expanded={editing} disabled={readOnly !== null} onClick={onEdit}>
        Edit or move
      </Button>
      <Button size="s" icon="book" label="Show in the text" onClick={show} />
      <CopyButton label="Copy link" icon="link" text={() => linkTo(notebook.id, factHash(row.id))} />
      <Button size="s" look="danger" icon="trash" disabled={noDelete !== null} onClick={remove}>
        Delete
      </Button>
      {noDelete !== null && <p className={s.soft}>{noDelete}</p>}
    </Row>
  );
}
