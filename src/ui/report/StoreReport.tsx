/** @file The memory in a report: every fact with what the model says for it, and what was deleted and changed. */

import type { DeletionCertificate } from "../../records/answer.ts";
import type { StoreCell } from "../../records/notebook.ts";
import { gateOf } from "../cells/memory/certificate.ts";
import { documentsOf } from "../cells/memory/documents.ts";
import { inSourceOrder } from "../cells/memory/view.ts";
import { shortOfOne } from "../facts/words.ts";
import { keyText } from "../../records/fact.ts";
import { count, counted } from "../format.ts";
import type { ReportData } from "./figures.ts";
import { StampLine } from "./StampLine.tsx";
import { Said } from "./Said.tsx";

/** A page of more would be slow to open; the store cell exports all of them. */
const MOST = 2000;

export function StoreReport({ cell, data }: { readonly cell: StoreCell; readonly data: ReportData }) {
  const { facts, notebook, info } = data;
  if (facts.length === 0) return <p className="soft">The memory is empty.</p>;
  const exact = facts.filter((row) => row.exact).length;
  const documents = documentsOf(notebook, info);
  const shown = inSourceOrder(facts).slice(0, MOST);
  return (
    <>
      <p>
        {counted(facts.length, "fact")}, {count(exact)} of them word for word. Struck out: stored, not said.
        Wavy: said, not stored.
      </p>
      <div className="scroll" tabIndex={0} role="group" aria-label="Table">
        <table>
          <thead>
            <tr>
              <th scope="col">Key</th>
              <th scope="col">Sentence</th>
              <th scope="col" className="n">
                Layer
              </th>
              <th scope="col" className="n">
                Fidelity
              </th>
              <th scope="col" className="n">
                Offset
              </th>
              {documents.size > 1 && <th scope="col">Document</th>}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr key={row.id}>
                <td className="key">{keyText(row)}</td>
                <td className="said">
                  <Said stored={row.value} said={row.exact ? null : row.recalled} />
                </td>
                <td className="n">{row.layer}</td>
                <td className={`n ${row.exact ? "exact" : "inexact"}`}>
                  {row.exact ? "exact" : shortOfOne(row.fidelity)}
                </td>
                <td className="n">{count(row.offset)}</td>
                {documents.size > 1 && <td>{documents.get(row.documentId)?.title ?? row.documentId}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {facts.length > MOST && (
        <p className="soft">
          The first {count(MOST)} of {count(facts.length)} facts; the memory cell exports them all.
        </p>
      )}
      <Changes output={cell.output} />
    </>
  );
}

/** Deleted facts that are told one by one. */
const MOST_DELETED = 60;

const listed = (keys: readonly string[]): string =>
  keys.length <= MOST_DELETED
    ? keys.join(", ")
    : `${keys.slice(0, MOST_DELETED).join(", ")} and ${counted(keys.length - MOST_DELETED, "more fact")}`;

function gateSentence(certificate: DeletionCertificate, i: number): string {
  const { before, after } = gateOf(certificate, i);
  return before === null ? `Its gate after: ${after}.` : `Its gate before: ${before}; after: ${after}.`;
}

function Changes({ output }: { readonly output: StoreCell["output"] }) {
  return (
    <>
      {output?.certificates.map(({ certificate, stamp }, i) => (
        <div key={`c${i}`}>
          <h3>Deleted: {listed(certificate.keys)}</h3>
          <ul>
            {certificate.before.slice(0, MOST_DELETED).map(({ key, text }, j) => (
              <li key={j}>
                {key}: “{text}” before, “{certificate.after[j]?.text ?? ""}” after.{" "}
                {gateSentence(certificate, j)}
              </li>
            ))}
            {certificate.before.length > MOST_DELETED && (
              <li>And {counted(certificate.before.length - MOST_DELETED, "more fact")}, asked for alike.</li>
            )}
          </ul>
          <p className="soft">
            {counted(certificate.compared, "other fact")} compared before and after,{" "}
            {count(certificate.changed)} changed.
          </p>
          <StampLine stamp={stamp} />
        </div>
      ))}
      {output?.reencodings?.map(({ key, before, after, stamp }, i) => (
        <div key={`r${i}`}>
          <h3>Encoded again: {key}</h3>
          <p className="facts">
            <Said stored={before.value} said={after.value} />
          </p>
          <p className="soft">
            Layer {before.layer} → {after.layer}, {after.exact ? "exact" : `F1 ${shortOfOne(after.fidelity)}`}
            , {counted(after.steps, "step")}.
          </p>
          <StampLine stamp={stamp} />
        </div>
      ))}
    </>
  );
}
