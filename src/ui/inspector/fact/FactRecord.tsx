/** @file The record of a fact: its key, its words as stored and as recalled, and its numbers. */

import { useMemo } from "react";
import type { FactRow, Notebook } from "../../../records/notebook.ts";
import { useApp } from "../../app.tsx";
import { documentsOf } from "../../cells/memory/documents.ts";
import { Badge } from "../../controls/Badge.tsx";
import { Pairs, type Pair } from "../../controls/Pairs.tsx";
import { LayerChip } from "../../facts/LayerChip.tsx";
import { StoredFact } from "../../facts/StoredFact.tsx";
import { shortOfOne } from "../../facts/words.ts";
import { count, counted, dateTime } from "../../format.ts";
import { keyText } from "../../../records/fact.ts";
import { stepsText, storedIn } from "./partsText.ts";
import { Row, Text } from "../../controls/layout.tsx";
import s from "./FactPanel.module.css";

export function FactRecord({ row, notebook }: { readonly row: FactRow; readonly notebook: Notebook }) {
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
        <StoredFact row={row} />
      </p>
      {!row.exact && row.recalled !== null && (
        <p className={s.soft}>Struck through: stored, not said. In red: said, not stored.</p>
      )}
      <Pairs className={s.numbers} of={facts} />
    </>
  );
}
