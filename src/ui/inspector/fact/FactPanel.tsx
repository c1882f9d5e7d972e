/** @file The panel of a fact: stored and recalled text, vectors, routing, and actions. */

import { useMemo, useState, type ComponentType, type MouseEvent, Suspense, lazy } from "react";
import { curvesOf, lossCurves } from "../../../figures/layers.ts";
import { keyText } from "../../../records/fact.ts";
import type { FactId } from "../../../records/ids.ts";
import { modelTag } from "../../../records/memory.ts";
import type { FactRow, Notebook } from "../../../records/notebook.ts";
import { isGoing } from "../../../state/runs.ts";
import { currentOf, useActions, useApp, useFactRows, useAppState, useServices } from "../../app.tsx";
import { FactPicking } from "../../charts/kit/picture.tsx";
import { Figure } from "../../charts/lazyFigures.tsx";
import { Ask, Failed, Asked, useAsync, GuardedBody } from "../../controls/useAsync.tsx";
import { Badge, Button, CopyButton, Row, Stack, Text, Pairs, type Pair } from "../../controls/basics.tsx";
import { Disclosure } from "../../controls/Dialog.tsx";
import { goToCell, linkTo, toast, openSentence } from "../../controls/page.ts";
import { LayerChip, Said, Gate, RecallDetails } from "../../facts/Recalled.tsx";
import { showUndo } from "../../facts/notices.tsx";
import { documentsOf, factsInWords, shortOfOne } from "../../facts/words.ts";
import { count, counted, dateTime } from "../../format.ts";
import { FirstOf, toggled } from "../../table/Table.tsx";
import { EditFact } from "./EditFact.tsx";
import {
  historyOf,
  stepsText,
  storedIn,
  factHash,
  useFactTools,
  type FactTools,
  firstPartOnly,
} from "./useFact.ts";
import {
  NearestSection,
  RoutingSection,
  PromptSection,
  SentenceSection,
  type SectionProps,
} from "./TextSections.tsx";
import { VectorSection } from "./VectorSection.tsx";
import s from "./FactPanel.module.css";
import type { Reconstruction } from "../../../records/answer.ts";
import { isValue } from "../../../records/digest.ts";
import { SHARP } from "../../../records/params.ts";
import type { View } from "./Inside.tsx";

export function FactPanel({ id }: { readonly id: FactId }) {
  const rows = useFactRows();
  const problem = useApp(({ memory }) => memory.problem);
  const leaving = useApp(({ memory }) => memory.leaving.has(id));
  const notebook = useApp((state) => currentOf(state)?.notebook);
  // A begun deletion queues or runs in a memory cell, and its notice is gone.
  const begun = useApp(({ runs }) =>
    notebook?.cells.some((cell) => cell.kind === "store" && isGoing(runs[cell.id])),
  );
  // Which sections are open stays when one steps to the next fact.
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  if (problem) return <Failed title="The facts could not be read." message={problem.message} />;
  const row = rows?.find((one) => one.id === id);
  return !rows || !notebook || !row || leaving ? (
    <p className={s.soft} role="status">
      {!rows || !notebook
        ? "Reading the memory …"
        : leaving
          ? begun
            ? LEAVING
            : `${LEAVING} ${UNDO}`
          : MISSING}
    </p>
  ) : (
    <FactPicking facts={rows}>
      <Fact key={id} notebook={notebook} row={row} rows={rows} open={open} onOpen={setOpen} />
    </FactPicking>
  );
}

const LEAVING = "This fact is being deleted.";
const UNDO = "Undo it in the notice below, or step on.";
const MISSING =
  "This fact is not in the memory of this notebook. It was deleted, or the link belongs to another notebook.";

const NO_VECTORS =
  "The saved example holds no vectors. Run all cells, and the facts are stored in this browser with theirs.";

/** Closed at first: their content is loaded when they are opened. */
const SECTIONS: Readonly<
  Record<string, Readonly<{ Body: ComponentType<{ readonly tools: FactTools }>; saved?: string }>>
> = {
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
    [stored ? "Longest vector ‖δ‖" : "Length of the vector ‖δ‖", row.deltaNorm.toPrecision(4)],
    [stored ? "Least margin" : "Margin", `${row.margin.toPrecision(3)} logits`],
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

function FactActions({
  tools: { row, notebook, storeId, readOnly },
  editing,
  onEdit,
}: Readonly<{ tools: FactTools; editing: boolean; onEdit: () => void }>) {
  const actions = useActions();
  const remove = (): void => {
    if (!storeId) return;
    showUndo(factsInWords([row]), actions.deleteFacts(storeId, [row.id]));
  };
  const show = ({ currentTarget }: MouseEvent): void => {
    if (!openSentence(row.documentId, row.offset))
      toast.said("No source cell of this notebook lists this document.");
    // On a narrow screen the panel covers the text.
    else if (getComputedStyle(currentTarget.closest("aside")!).position === "fixed") actions.inspect(null);
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

const Inside = lazy(() => import("./Inside.tsx").then((module) => ({ default: module.Inside })));

function RecallSection({ tools, rows }: SectionProps) {
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
          {(fact) => <Recalled fact={fact} tools={tools} rows={rows} />}
        </Asked>
      )}
    </div>
  );
}

const VIEWS: Readonly<Record<View, string>> = {
  trace: "Gate, position by position",
  lens: "Logit lens",
};

function Recalled({ fact, tools, rows }: SectionProps & { readonly fact: Reconstruction }) {
  const { row } = tools;
  const info = useApp(({ memory }) => memory.info);
  const { theta } = info?.params ?? SHARP;
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
      <RecallDetails fact={fact} rows={known} />
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
