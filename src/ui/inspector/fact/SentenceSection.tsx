/** @file The sentence where it stood: in the text while that is kept, between its neighbours in memory after that. */

import { useMemo } from "react";
import type { FactRow } from "../../../records/notebook.ts";
import { useApp } from "../../app.tsx";
import { documentsOf } from "../../cells/memory/documents.ts";
import { Stored } from "../../facts/StoredFact.tsx";
import { useStored } from "../../facts/useStored.ts";
import { keyText } from "../../../records/fact.ts";
import { AROUND, inContext } from "./context.ts";
import { firstValue } from "./history.ts";
import { FactButton } from "./FactButton.tsx";
import { Loading } from "./Loading.tsx";
import { around } from "./order.ts";
import type { FactTools } from "./useFact.ts";
import { Stack, Text } from "../../controls/layout.tsx";
import s from "./FactPanel.module.css";

export function SentenceSection({
  tools,
  rows,
}: {
  readonly tools: FactTools;
  readonly rows: readonly FactRow[];
}) {
  const { notebook, row } = tools;
  const info = useApp(({ memory }) => memory.info);
  const kept = useMemo(
    () => documentsOf(notebook, info).get(row.documentId)?.kept ?? false,
    [notebook, info, row.documentId],
  );
  return kept ? <Kept tools={tools} /> : <Forgotten row={row} rows={rows} />;
}

function Kept({ tools: { notebook, row } }: { readonly tools: FactTools }) {
  const { documentId: id, offset } = row;
  const stored = useStored(row);
  const original = firstValue(notebook, row) ?? stored ?? "";
  const start = Math.max(0, offset - AROUND);
  const end = offset + original.length + AROUND;
  return (
    <Loading
      ask={({ library }) => library().readText({ id, start, end })}
      inputs={[id, start, end]}
      what="Reading the text"
    >
      {(text) => {
        const parts = inContext(text, start, offset, original);
        return (
          <>
            <Text as="blockquote" tone="soft" whiteSpace="pre-line" anywhere className={s.context}>
              {parts.before}
              {parts.sentence ? <mark>{parts.sentence}</mark> : <Text tone="rubric">▸ </Text>}
              {parts.after}
            </Text>
            {original !== (row.value ?? original) && (
              <p className={s.soft}>
                The value was changed since: this is the sentence it was memorised from.
              </p>
            )}
          </>
        );
      }}
    </Loading>
  );
}

/** Neighbours shown on either side. */
const NEIGHBOURS = 2;

function Forgotten({ row, rows }: { readonly row: FactRow; readonly rows: readonly FactRow[] }) {
  const { before, after } = useMemo(() => around(rows, row, NEIGHBOURS), [rows, row]);
  const neighbour = (fact: FactRow) => (
    <li key={fact.id}>
      <FactButton id={fact.id} look="neighbour" label={`Open ${keyText(fact)}: ${fact.value ?? ""}`}>
        <Stored fact={fact} />
      </FactButton>
    </li>
  );
  return (
    <>
      <p className={s.soft}>
        The text was thrown away. These stored sentences stood around it, in the words that{" "}
        {row.value === null ? "the model says" : "the routing index keeps"}:
      </p>
      <Stack as="ol" gap="0.3rem" plainList className={s.neighbours}>
        {before.map(neighbour)}
        <li aria-current="true">
          <mark>
            <Stored fact={row} />
          </mark>
        </li>
        {after.map(neighbour)}
      </Stack>
    </>
  );
}
