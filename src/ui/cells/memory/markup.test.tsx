import { renderToStaticMarkup } from "react-dom/server";
import type { ReactElement } from "react";
import { afterAll, describe, expect, it } from "vitest";
import { layerIndex, type FactId } from "../../../records/ids.ts";
import { createHarness } from "../../../state/testing/harness.ts";
import { AppProvider } from "../../app.tsx";
import { keyText } from "../../../records/fact.ts";
import { GridHead, GridRow } from "../../table/Grid.tsx";
import { NOTHING } from "../../table/Table.tsx";
import { stampOf } from "../ask/testing/answers.ts";
import { CertificateView } from "./CertificateView.tsx";
import { factColumns, COLUMNS } from "../../facts/factColumns.tsx";
import { FactParts, FactTable, Overview, overview } from "./MemoryCell.tsx";
import { factRow, longRow, manyRows } from "./testing/rows.ts";
import { vectorBytes } from "../../../records/memory.ts";
import { UndoNotice } from "../../facts/notices.tsx";

const nothing = (): void => undefined;
const words = (markup: string): string =>
  markup
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
const context = { documents: new Map(), now: Date.UTC(2026, 10, 22), onOpenSentence: nothing };

function rowMarkup(
  row: ReturnType<typeof factRow>,
  selected = false,
  said: ReadonlyMap<FactId, string> = new Map(),
): string {
  return inApp(
    said,
    <GridRow
      row={row}
      rowId={row.id}
      id="row"
      name={keyText(row)}
      position={41}
      top={0}
      height={44}
      columns={factColumns(COLUMNS, {
        ...context,
        documents: new Map([[row.documentId, { title: "The <Lamp>", kept: true }]]),
      })}
      selected={selected}
      current={false}
      parts={null}
      open={false}
      measure={null}
      onPick={nothing}
      onToggle={nothing}
    />,
  );
}

const harness = createHarness();
afterAll(() => harness.close());

/** The markup of what needs the app, in which the model said these sentences. */
function inApp(said: ReadonlyMap<FactId, string>, content: ReactElement): string {
  const { store } = harness.app;
  store.setState(({ memory }) => ({ memory: { ...memory, said } }));
  // On the server a store gives its first state.
  const app = { ...harness.app, store: { ...store, getInitialState: store.getState } };
  return renderToStaticMarkup(<AppProvider app={app}>{content}</AppProvider>);
}

describe("a row of the fact table", () => {
  it("says its place among all rows, and whether it is selected", () => {
    expect(rowMarkup(factRow(), true)).toContain('aria-rowindex="43" aria-selected="true"');
    expect(rowMarkup(factRow())).toContain('aria-selected="false"');
    expect(rowMarkup(factRow()).match(/role="gridcell"/g)).toHaveLength(COLUMNS.length + 1);
  });

  it("shows what the model said, or that it is not read back yet", () => {
    const row = factRow({ exact: false, fidelity: 0.996 });
    expect(words(rowMarkup(row))).toContain("open the model to read it back");
    const markup = rowMarkup(row, false, new Map([[row.id, "Sandra went to the garden."]]));
    expect(words(markup)).toContain("Sandra went to the garden.");
    expect(words(markup)).toContain("inexact, F1 0.99");
  });

  it("shows text of a source as text", () => {
    const row = factRow({ anchor: "<b>" });
    const markup = rowMarkup(row, false, new Map([[row.id, "<img src=x onerror=alert(1)>"]]));
    expect(markup).not.toContain("<img");
    expect(markup).toContain("&lt;img src=x");
    expect(markup).toContain("The &lt;Lamp&gt;");
  });

  it("offers the sentence only where the text is kept", () => {
    expect(rowMarkup(factRow({ offset: 1234 }))).toContain("Open the sentence at 1234 in its text");
  });
});

describe("the head of the fact table", () => {
  it("says how the rows are sorted", () => {
    const markup = renderToStaticMarkup(
      <GridHead
        columns={factColumns(["anchor", "layer"], context)}
        noun="facts"
        sort={{ column: "layer", descending: true }}
        onSort={nothing}
        selected="some"
        onSelectAll={nothing}
      />,
    );
    expect([...markup.matchAll(/aria-sort="(\w+)"/g)].map(([, sort]) => sort)).toEqual([
      "none",
      "descending",
    ]);
    expect(markup).toContain('aria-pressed="mixed"');
  });
});

describe("the fact table", () => {
  it("says how many rows and columns there are, however few it draws", () => {
    const markup = inApp(
      new Map(),
      <FactTable
        {...context}
        rows={manyRows(5000)}
        visible={["anchor", "value"]}
        sort={null}
        onSort={nothing}
        selection={NOTHING}
        onSelection={nothing}
        onOpen={nothing}
        onDelete={nothing}
      />,
    );
    expect(markup).toContain('aria-rowcount="5001" aria-colcount="3" aria-multiselectable="true"');
    expect(markup.match(/role="row"/g)!.length).toBeLessThan(60);
  });
});

describe("a fact in parts", () => {
  it("lists every vector under its own key, in the order of the value", () => {
    const markup = renderToStaticMarkup(<FactParts row={longRow()} />);
    expect([...markup.matchAll(/scope="row"[^>]*>([^<]*)/g)].map(([, key]) => key)).toEqual([
      "Sandra (2)",
      "Sandra (2.3)",
      "Sandra (2.2)",
    ]);
    expect(words(markup)).toContain("Sandra (2.3) layer 3 12 40 inexact, F1 0.84 3.200 0.500");
  });
});

describe("overview", () => {
  it("names every layer with its counts, and which are chosen", () => {
    const rows = [factRow(), factRow({ offset: 1, layer: layerIndex(4), exact: false, fidelity: 0.5 })];
    const markup = renderToStaticMarkup(
      <Overview overview={overview(rows)} chosen={new Set([4])} onLayer={nothing} />,
    );
    expect(words(markup)).toContain("2 facts 50 % exact mean fidelity 0.75");
    expect(words(markup)).not.toContain("vectors");
    expect(markup).toContain('aria-label="Layer 4: 1 fact, 0 exact"');
    expect(markup).toMatch(/aria-pressed="true" aria-label="Layer 4/);
  });
});

it("an overview names the vectors where they are more than the facts", () => {
  const markup = renderToStaticMarkup(
    <Overview overview={overview([factRow(), longRow()])} chosen={new Set()} onLayer={nothing} />,
  );
  expect(words(markup)).toContain("2 facts in 4 vectors 50 % exact");
});

it("storage is counted in vectors, not in facts", () => {
  expect(vectorBytes(overview([factRow(), longRow()]).vectors, { dFf: 16, dModel: 8 })).toBe(4 * 24 * 4);
});

describe("certificate", () => {
  it("shows before and after of every deleted key, when and on what", () => {
    const markup = renderToStaticMarkup(
      <CertificateView
        stamped={{
          stamp: stampOf(),
          certificate: {
            keys: ["Sandra (1)"],
            before: [{ key: "Sandra (1)", text: "Sandra went to the hallway." }],
            after: [{ key: "Sandra (1)", text: "", gateOpen: false }],
            compared: 3,
            retained: 3,
            changed: 0,
          },
        }}
      />,
    );
    expect(words(markup)).toContain("21 Nov 2026, 12:00 , palimpsest-6m@0a1b2c3d on wasm");
    expect(markup).toContain("<del>Sandra went to the hallway.</del>");
    expect(words(markup)).toContain("Recalled before Model output without the vector Gate");
    expect(words(markup)).toContain("nothing after: closed");
    expect(words(markup)).toContain("3 other facts recalled before and after: not one token differs.");
  });

  it("does not call a gate open that opens on another key", () => {
    const own = { similarity: 1, gateOpen: true, nearest: "Sandra (1)", own: true };
    const other = { similarity: 0.914, gateOpen: true, nearest: "Mary (1)", own: false };
    const certificate = {
      keys: ["Sandra (1)"],
      before: [{ key: "Sandra (1)", text: "Sandra went to the hallway.", read: own }],
      after: [{ key: "Sandra (1)", text: "", gateOpen: true, read: other }],
      compared: 3,
      retained: 3,
      changed: 0,
    };
    const said = words(renderToStaticMarkup(<CertificateView stamped={{ stamp: stampOf(), certificate }} />));
    expect(said).toContain("before: open at 1.000 after: opens on “Mary (1)” at 0.914");
    expect(said).toContain("Where a gate still opens, the key of another fact is near enough");
  });
});

describe("undo notice", () => {
  it("reads the whole window aloud once and ticks for the eye alone", () => {
    const markup = renderToStaticMarkup(
      <UndoNotice what="Sandra (1)" until={performance.now() + 7900} onUndo={nothing} onNow={nothing} />,
    );
    expect(words(markup)).toContain("Sandra (1) will be deleted in 8 seconds 8 s Undo Delete now");
    expect(markup).toMatch(/aria-hidden="true">8 s/);
  });
});
