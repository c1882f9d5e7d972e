/** @file The memory in print: every fact with what the model says for it, and what was deleted and changed. */

import { keyText } from "../../records/fact.ts";
import type { FactRow, StoreCell } from "../../records/notebook.ts";
import { CertificateView } from "../cells/memory/CertificateView.tsx";
import { COLUMN_INFO } from "../facts/factColumns.tsx";
import { documentsOf } from "../facts/documents.ts";
import { storedText } from "../cells/memory/overview.ts";
import { inSourceOrder } from "../facts/factColumns.tsx";
import { shortOfOne } from "../facts/words.ts";
import { Recalled } from "../facts/Recalled.tsx";
import { UNPRINTED } from "../facts/StoredFact.tsx";
import { count, counted } from "../format.ts";
import type { Column } from "../table/column.ts";
import { Table } from "../table/Table.tsx";
import type { Printed } from "./cells.tsx";
import { StampLine } from "./StampLine.tsx";

/** A page of more would be slow to open; the memory cell exports all of them. */
const MOST = 2000;

export function MemoryPrint({ cell, data: { facts, notebook, info, made } }: Printed<"store">) {
  const documents = documentsOf(notebook, info);
  const context = { documents, now: Date.parse(made), onOpenSentence: () => undefined };
  const column = (id: keyof typeof COLUMN_INFO): Column<FactRow> => ({
    ...COLUMN_INFO[id],
    id,
    cell: (row) => COLUMN_INFO[id].cell(row, context),
  });
  const exact = facts.filter((row) => row.exact).length;
  return (
    <>
      {facts.length > 0 && (
        <p>
          {storedText(facts)}, {count(exact)} of them word for word. Struck out: stored, not said. Wavy: said,
          not stored.
        </p>
      )}
      <Table
        caption="Facts"
        rows={inSourceOrder(facts)}
        empty={<p className="soft">The memory is empty.</p>}
        columns={[
          { id: "key", label: "Key", look: "key", cell: keyText },
          {
            ...column("value"),
            look: "words",
            cell: ({ value, recalled, exact: same }) =>
              value === null ? UNPRINTED : <Recalled stored={value} said={recalled} exact={same} />,
          },
          column("layer"),
          column("fidelity"),
          { ...column("offset"), cell: ({ offset }) => count(offset) },
          ...(documents.size > 1 ? [column("document")] : []),
        ]}
        limit={{
          first: MOST,
          more: () => null,
          print: {
            first: MOST,
            rest: `The first ${count(MOST)} of ${counted(facts.length, "fact")}; the memory cell exports them all.`,
          },
        }}
      />
      {cell.output?.certificates.map((stamped, i) => (
        <div key={i}>
          <h3>Deleted: {listed(stamped.certificate.keys)}</h3>
          <CertificateView stamped={stamped} />
        </div>
      ))}
      <Changes output={cell.output} />
    </>
  );
}

/** Deleted facts that are named one by one. */
const MOST_DELETED = 60;

const listed = (keys: readonly string[]): string =>
  keys.length <= MOST_DELETED
    ? keys.join(", ")
    : `${keys.slice(0, MOST_DELETED).join(", ")} and ${counted(keys.length - MOST_DELETED, "more fact")}`;

const Changes = ({ output }: Pick<StoreCell, "output">) =>
  output?.reencodings?.map(({ key, before, after, stamp }, i) => (
    <div key={i}>
      <h3>Encoded again: {key}</h3>
      <p>
        {before.value === null || after.value === null ? (
          UNPRINTED
        ) : (
          <Recalled stored={before.value} said={after.value} exact={false} />
        )}
      </p>
      <p className="soft">
        Layer {before.layer} → {after.layer}, {after.exact ? "exact" : `F1 ${shortOfOne(after.fidelity)}`},{" "}
        {counted(after.steps, "step")}.
      </p>
      <StampLine stamp={stamp} />
    </div>
  ));
