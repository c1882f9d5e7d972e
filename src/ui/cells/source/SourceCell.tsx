/**
 * @file The source cell: texts come in by drop, file picker or paste; each can be read here with its candidates and
 * anchors marked, until it is forgotten. Then its place shows what the memory holds of it.
 */

import { useEffect, useRef, useState } from "react";
import { memorizeCellBelow } from "../../../notebook/places.ts";
import type { DocumentId } from "../../../records/ids.ts";
import type { SourceEntry } from "../../../records/notebook.ts";
import { useActions, useApp, useCanWrite, useNotebook, type CellProps } from "../../app.tsx";
import { Button } from "../../controls/Button.tsx";
import { Switch } from "../../controls/Choice.tsx";
import { count, counted } from "../../format.ts";
import { DocumentView } from "./DocumentView.tsx";
import { Intake } from "./Intake.tsx";
import { useSentenceTarget } from "../../facts/openSentence.ts";
import { TextList } from "./TextList.tsx";
import { Row, Stack, Text } from "../../controls/layout.tsx";

export function SourceCell({ cell }: CellProps<"source">) {
  const { setInput } = useActions();
  const canWrite = useCanWrite();
  const notebook = useNotebook();
  const { documents, forget } = cell.input;
  const [chosen, open] = useState<DocumentId | null>(null);
  useNewest(documents, open);
  const target = useSentenceTarget(documents, open);
  // The filter of the memorize cell that takes this cell's texts.
  const filter = memorizeCellBelow(notebook, cell.id)?.input.params.candidateFilter ?? "wide";
  const shown = documents.find(({ id }) => id === chosen) ?? documents[0];
  return (
    <Stack gap={4} shrinks>
      {canWrite && <Intake cellId={cell.id} empty={documents.length === 0} />}
      <TextList cellId={cell.id} {...{ documents, filter }} shown={shown?.id ?? null} onShow={open} />
      <Switch
        label="Forget the source"
        hint={forget ? FORGET : KEEP}
        checked={forget}
        disabled={!canWrite}
        onChange={(checked) => setInput(cell.id, "source", (input) => ({ ...input, forget: checked }))}
      />
      {forget && <StillKept cellId={cell.id} documents={documents} />}
      {shown && (
        <DocumentView
          key={shown.id}
          entry={shown}
          filter={filter}
          target={target?.documentId === shown.id ? target : null}
        />
      )}
    </Stack>
  );
}

type Documents = readonly SourceEntry[];

/** Texts that are memorised and still here: the switch was off when they were memorised, or facts came back otherwise. */
function StillKept({ cellId, documents }: { readonly cellId: string; readonly documents: Documents }) {
  const { forgetTexts } = useActions();
  const canWrite = useCanWrite();
  const sources = useApp(({ memory }) => memory.info?.sources);
  const pending = useApp(({ memory }) => memory.info?.pending ?? 0);
  const rows = useApp(({ memory }) => memory.facts);
  const ids = documents.flatMap(({ id, kept }) =>
    kept && sources?.some((source) => source.id === id) ? id : [],
  );
  if (ids.length === 0 || pending > 0) return null;
  const facts = (rows ?? []).filter(({ documentId }) => ids.includes(documentId));
  const inexact = facts.filter(({ exact }) => !exact).length;
  return (
    <Row gap={2}>
      {inexact > 0 && (
        <Text as="p" tone="soft" role="status">
          {`${count(inexact)} of ${counted(facts.length, "fact")} ${inexact === 1 ? "does" : "do"} not match word for word. Delete the text anyway?`}
        </Text>
      )}
      <Button size="s" icon="trash" disabled={!canWrite} onClick={() => void forgetTexts(cellId, ids)}>
        Delete {ids.length === 1 ? "the memorised text" : counted(ids.length, "memorised text")} now
      </Button>
    </Row>
  );
}

function useNewest(documents: Documents, show: (id: DocumentId) => void): void {
  const before = useRef(documents);
  useEffect(() => {
    const known = new Set(before.current.map(({ id }) => id));
    before.current = documents;
    const fresh = documents.find(({ id }) => !known.has(id));
    if (fresh) show(fresh.id);
  }, [documents, show]);
}

const FORGET =
  "The text is deleted from this browser once all its facts are recalled word for word; otherwise you are asked. Only stored sentences can be read again: the filter and the retention depth leave some out (see the memorise cell).";
const KEEP =
  "The text stays in this browser, so that you can compare it with the memory. It never leaves this browser.";
