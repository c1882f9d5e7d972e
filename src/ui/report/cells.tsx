/** @file What the report shows of each kind of cell: what was set, what came out, with every number the output holds. */

import type { ReactNode } from "react";
import Markdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import type { Cell } from "../../records/notebook.ts";
import { paramsText } from "../../records/parameterText.ts";
import { STUDY_INFO } from "../../records/studies.ts";
import { bytes, count, counted, percent } from "../format.ts";
import { AskReport } from "./AskReport.tsx";
import type { ReportData } from "./figures.ts";
import { StoreReport } from "./StoreReport.tsx";
import type { LayerPlan } from "../../records/plan.ts";

type Of<K extends Cell["kind"]> = { readonly cell: Extract<Cell, { kind: K }>; readonly data: ReportData }; // prettier-ignore

export function CellReport({ cell, data }: { readonly cell: Cell; readonly data: ReportData }): ReactNode {
  switch (cell.kind) {
    case "note":
      return <Note text={cell.input.text} />;
    case "model":
      return <ModelReport cell={cell} data={data} />;
    case "source":
      return <SourceReport cell={cell} data={data} />;
    case "memorize":
      return <MemorizeReport cell={cell} data={data} />;
    case "store":
      return <StoreReport cell={cell} data={data} />;
    case "ask":
      return <AskReport cell={cell} data={data} />;
    case "probe":
      return cell.output ? <Plan plan={cell.output} /> : <NotRun />;
    case "experiment":
      return <ExperimentReport cell={cell} data={data} />;
    default:
      return cell satisfies never;
  }
}

const NotRun = () => <p className="soft">Not run.</p>;

/** Names and values side by side; empty values are left out. */
export function Numbers({ of }: { readonly of: Readonly<Record<string, ReactNode>> }) {
  const shown = Object.entries(of).filter(
    ([, value]) => value !== null && value !== undefined && value !== "",
  );
  return (
    <dl>
      {shown.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A link would lead out of a page that stands alone: its address is written out. A picture is named. */
const COMPONENTS: Components = {
  h1: ({ children }) => <h2>{children}</h2>,
  h2: ({ children }) => <h3>{children}</h3>,
  a: ({ href, children }) => (
    <>
      {children}
      {href && <span className="soft"> ({href})</span>}
    </>
  ),
  img: ({ alt }) => <em>[picture: {alt || "without a name"}]</em>,
};

function Note({ text }: { readonly text: string }) {
  return (
    <div className="note">
      <Markdown remarkPlugins={[remarkGfm]} skipHtml components={COMPONENTS}>
        {text}
      </Markdown>
    </div>
  );
}

function ModelReport({ cell: { input, output } }: Of<"model">) {
  const { source } = input;
  const from =
    source.kind === "hub"
      ? `${source.repo} at ${source.revision}`
      : source.kind === "files"
        ? `files “${source.name}”`
        : "bundled with the app";
  if (!output)
    return (
      <>
        <Numbers of={{ Model: from }} />
        <NotRun />
      </>
    );
  const { identity, device, files, embedder } = output;
  return (
    <Numbers
      of={{
        Model: `${identity.name}, ${from}`,
        Architecture: identity.architecture,
        Layers: count(identity.layers),
        "Width d / d_ff": `${count(identity.dModel)} / ${count(identity.dFf)}`,
        Vocabulary: count(identity.vocabulary),
        Window: counted(identity.window, "token"),
        Files: `${counted(files.length, "file")}, ${bytes(files.reduce((sum, file) => sum + file.bytes, 0))}`,
        "SHA-256": <span className="num">{identity.sha256}</span>,
        Backend: `${device.backend}: ${device.description}`,
        Runtime: device.runtime,
        "Self-test": device.selfTest.summary,
        Embedder: embedder,
      }}
    />
  );
}

function SourceReport({ cell: { input } }: Of<"source">) {
  if (input.documents.length === 0) return <p className="soft">No text.</p>;
  return (
    <div className="scroll" tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>
          <tr>
            <th scope="col">Text</th>
            <th scope="col">Format</th>
            <th scope="col" className="n">
              Characters
            </th>
            <th scope="col">Text kept</th>
          </tr>
        </thead>
        <tbody>
          {input.documents.map(({ id, title, format, characters, pages, kept, notes }) => (
            <tr key={id}>
              <td>
                {title}
                {notes.length > 0 && <div className="soft">{notes.join(" ")}</div>}
              </td>
              <td>{[format, pages !== null && counted(pages, "page")].filter(Boolean).join(", ")}</td>
              <td className="n">{count(characters)}</td>
              <td>{kept ? "yes" : "forgotten"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Sentences left out that are listed; a book may have thousands. */
const MOST_SKIPPED = 100;

function MemorizeReport({ cell: { input, output } }: Of<"memorize">) {
  const { params } = input;
  return (
    <>
      <p className="soft">
        Preset {params.preset}. {paramsText(params)}
      </p>
      {output ? (
        <>
          <Numbers
            of={{
              "Facts encoded": count(output.encoded),
              "Word for word": `${count(output.exact)}${output.encoded > 0 ? `, ${percent(output.exact / output.encoded)}` : ""}`,
              "Mean fidelity (token F1)": output.fidelity.toFixed(3),
              "Steps in all": count(output.steps),
              "Extracted / retained": `${count(output.extracted)} / ${count(output.retained)}`,
              "Budget B (Eq. 1)": `${count(output.budget.facts)}, bound by ${output.budget.bound}`,
              "Anchors n": count(output.budget.anchors),
              "Storage layers": output.layers.join(", "),
              "Stored vectors": bytes(output.bytes),
              "Facts afterwards": count(output.total),
            }}
          />
          {output.skipped.length > 0 && (
            <ul>
              {output.skipped.slice(0, MOST_SKIPPED).map(({ value, why }, i) => (
                <li key={i}>
                  Left out: “{value}” ({why})
                </li>
              ))}
              {output.skipped.length > MOST_SKIPPED && (
                <li>And {counted(output.skipped.length - MOST_SKIPPED, "more sentence")} left out.</li>
              )}
            </ul>
          )}
          {output.layerPlan && <Plan plan={output.layerPlan} />}
        </>
      ) : (
        <NotRun />
      )}
    </>
  );
}

function Plan({ plan }: { readonly plan: LayerPlan }) {
  return (
    <div className="scroll" tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>
          <tr>
            <th scope="col" className="n">
              Layer
            </th>
            <th scope="col" className="n">
              Exact
            </th>
            <th scope="col" className="n">
              Fidelity
            </th>
            <th scope="col" className="n">
              Seconds per fact
            </th>
            <th scope="col">Choice</th>
          </tr>
        </thead>
        <tbody>
          {plan.choices.map(({ layer, exactRate, fidelity, cost, why, chosen }) => (
            <tr key={layer}>
              <td className="n">{layer}</td>
              <td className="n">{percent(exactRate)}</td>
              <td className="n">{fidelity.toFixed(3)}</td>
              <td className="n">{cost.toPrecision(3)}</td>
              <td>
                {chosen ? "chosen" : "left out"}: {why}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ExperimentReport({ cell: { input, output }, data }: Of<"experiment">) {
  const info = STUDY_INFO[input.study];
  const run = output && data.runs.get(output.runId);
  const settings = Object.entries(run?.header.settings ?? input.settings);
  return (
    <>
      <p>
        {info.title}. {info.asks}
      </p>
      {settings.length > 0 && (
        <Numbers
          of={Object.fromEntries(
            settings.map(([name, value]) => [info.settings[name]?.label ?? name, String(value)]),
          )}
        />
      )}
      {run ? (
        <p className="soft">
          Run {run.header.id}, seed {run.header.seed}, {counted(run.cases.length, "case")}, {run.header.model}{" "}
          on {run.header.backend}, app {run.header.app}.
        </p>
      ) : (
        <NotRun />
      )}
    </>
  );
}
