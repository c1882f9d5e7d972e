/** @file The questions of an ask cell in a report: answers, what they rest on, how they were routed and read. */

import type { Answer } from "../../records/answer.ts";
import type { AskCell, FactRow } from "../../records/notebook.ts";
import { settingsLine } from "../cells/ask/readSettings.ts";
import { counted, duration } from "../format.ts";
import type { ReportData } from "./figures.ts";
import { Said } from "./Said.tsx";
import { StampLine } from "./StampLine.tsx";

export function AskReport({ cell, data }: { readonly cell: AskCell; readonly data: ReportData }) {
  const history = cell.output?.history ?? [];
  const rows = new Map(data.facts.map((row) => [row.id, row]));
  if (history.length === 0) return <p className="soft">Nothing was asked.</p>;
  return history.map(({ answer, stamp }, i) => (
    <article key={i} className="exchange">
      <p className="question">{answer.question}</p>
      <p className="answer">{answer.text}</p>
      {answer.cited.length > 0 && <p className="cites">Rests on {answer.cited.join(", ")}.</p>}
      <Recalled answer={answer} rows={rows} />
      <p className="soft">{how(answer)}</p>
      <StampLine stamp={stamp} />
    </article>
  ));
}

function how({ route, recalled, settings, milliseconds }: Answer): string {
  const kept = route.anchors.filter((anchor) => anchor.kept).map(({ anchor, why }) => `${anchor} (${why})`);
  const times = `route ${duration(milliseconds.route)}, recall ${duration(milliseconds.recall)}, answer ${duration(milliseconds.answer)}`;
  return (
    `Routed to ${kept.length > 0 ? kept.join(", ") : "no anchor"}; ${counted(recalled.length, "fact")} recalled. ` +
    `Asked with ${settingsLine(settings)}. ${times}.`
  );
}

function Recalled({
  answer: { recalled },
  rows,
}: {
  readonly answer: Answer;
  readonly rows: ReadonlyMap<string, FactRow>;
}) {
  if (recalled.length === 0) return null;
  return (
    <div className="scroll" tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>
          <tr>
            <th scope="col">Key</th>
            <th scope="col" className="n">
              Layer
            </th>
            <th scope="col" className="n">
              Similarity
            </th>
            <th scope="col">Gate</th>
            <th scope="col">What the model says</th>
          </tr>
        </thead>
        <tbody>
          {recalled.map(({ id, key, layer, text, read }) => (
            <tr key={id}>
              <td className="key">{key}</td>
              <td className="n">{layer}</td>
              <td className="n">{read.similarity.toFixed(4)}</td>
              <td className={read.gateOpen ? "open" : "shut"}>{read.gateOpen ? "open" : "shut"}</td>
              <td className="said">
                <Said stored={rows.get(id)?.value ?? text} said={text} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
