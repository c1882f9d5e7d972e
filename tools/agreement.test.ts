/**
 * @file One memory, and what is said of it wherever a person meets it: the cells of the page, the exported report, the
 * archive, and the command line. Facts, exact ones, layers and bytes are the same numbers everywhere.
 */

import "fake-indexeddb/auto";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { beforeAll, expect, it, vi } from "vitest";
import { bundled, leavesNothing } from "../src/engine/testing/useBundled.ts";
import { memorize, type WholeReport } from "../src/flow/testing/memorized.ts";
import { context, documentOf, HOOK_MS, QUICK, seeded, STORY } from "../src/flow/testing/runs.ts";
import { newCell, newNotebook } from "../src/notebook/kinds.ts";
import { bytesOf, type MemoryBytes } from "../src/records/bytes.ts";
import { countFacts, modelTag } from "../src/records/memory.ts";
import type { Cell, FactRow } from "../src/records/notebook.ts";
import { NO_DEADLINE } from "../src/rpc/testing/noDeadline.ts";
import { createLibraryService } from "../src/service/library/libraryService.ts";
import { summaryOf } from "../src/service/runs/runs.ts";
import { packMemory } from "../src/store/archiveFormat.ts";
import { unpackMemory } from "../src/store/archiveRead.ts";
import { piecesOf } from "../src/store/pieces.ts";
import { openDatabase } from "../src/store/database.ts";
import { Summary } from "../src/ui/cells/memorize/Summary.tsx";
import { Overview } from "../src/ui/cells/memory/MemoryCell.tsx";
import { overview } from "../src/ui/cells/memory/MemoryCell.tsx";
import { keptText } from "../src/ui/facts/words.ts";
import { bytes } from "../src/ui/format.ts";
import { reportHtml } from "../src/ui/report/exportReport.tsx";
import { jsonReport, printReport, type RecallReport, type RecallRun } from "./recallReport.ts";

/** Long enough to be stored in parts. */
const LONG =
  "Before the storm Sandra carried the heavy brass lantern, the torn charts and an old blue coat up to the lamp room.";

let made: WholeReport;
let run: RecallRun;
let archive: Blob;
let rows: readonly FactRow[];
let sizes: MemoryBytes;

beforeAll(async () => {
  const { engine, device } = await bundled();
  const store = await seeded(engine, [3, 4]);
  made = await memorize(
    context(engine, { store, params: { ...QUICK, steps: 2, refine: 0, start: "zero" } }),
    [documentOf([...STORY, LONG])],
  );
  const { memory } = made;
  run = {
    ...{ params: memory.params, memory, said: new Map(), memorized: made, answers: [], certificates: [] },
    ...{ capabilities: device.capabilities, decoding: engine.decoding, ledger: device.ledger },
    milliseconds: { open: 1, total: 2 },
  };
  archive = await packMemory(piecesOf(memory), "test");
  const database = openDatabase({ name: "agreement" });
  const library = createLibraryService({
    database: () => database,
    date: () => "2026-01-01T00:00:00Z",
    app: "test",
    deadline: NO_DEADLINE,
  });
  await library.importMemory({ memory: "n", archive, mode: "replace", name: "a.zip" });
  rows = await library.facts({ memory: "n" });
  sizes = (await library.memoryBytes({ memory: "n" }))!;
  leavesNothing({ device });
}, HOOK_MS);

const words = (markup: string): string => markup.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");

/** The numbers after which the words ask, in the order of the groups. */
function found(text: string, pattern: RegExp): readonly string[] {
  const match = pattern.exec(text);
  expect(match, `${String(pattern)} in: ${text.slice(0, 600)}`).not.toBeNull();
  return match!.slice(1);
}

it("says the same facts, exact ones, layers and bytes on the page, in the report, the archive and the terminal", async () => {
  const { memory } = made;
  const json = JSON.parse([...jsonReport(run)].join("")) as RecallReport;
  const expected = {
    facts: json.facts.length,
    exact: json.facts.filter(({ exact }) => exact).length,
    vectors: json.facts.flatMap(({ parts }) => parts).length,
    layers: json.layers.join(" "),
  };
  // A memory that is neither all exact nor one vector a fact, so that numbers cannot agree by chance.
  expect(expected.exact).toBeGreaterThan(0);
  expect(expected.exact).toBeLessThan(expected.facts);
  expect(expected.vectors).toBeGreaterThan(expected.facts);
  expect(json.memory).toMatchObject({ facts: expected.facts, vectors: expected.vectors, layers: 2 });

  const unpacked = await unpackMemory(archive, "a.zip");
  expect(countFacts(unpacked.entries)).toBe(expected.facts);
  expect(unpacked.layers.join(" ")).toBe(expected.layers);
  for (const kept of [sizes, bytesOf(unpacked), summaryOf(made).kept!]) expect(kept).toEqual(bytesOf(memory));
  expect(json.memory.bytes).toEqual({ ...sizes, perFact: Math.round(sizes.perFact) });

  const stamp = {
    at: "2026-01-01T00:00:00Z",
    milliseconds: 1,
    backend: "cpu",
    model: modelTag(memory.model),
    app: "test",
    inputs: "",
  };
  const summary = { ...summaryOf(made), stamp };
  const inCell = words(renderToStaticMarkup(createElement(Summary, { summary, facts: rows })));
  const inBar = words(
    renderToStaticMarkup(
      createElement(Overview, {
        overview: overview(rows),
        chosen: new Set<number>(),
        onLayer: () => undefined,
      }),
    ),
  );
  const cells = [{ ...newCell("memorize", "m"), output: summary } as Cell, newCell("store", "s")];
  const data = {
    notebook: newNotebook("n", "N", cells, stamp.at),
    ...{
      info: null,
      facts: rows,
      said: new Map(),
      curves: [],
      vectors: null,
      runs: new Map(),
      evaluations: new Map(),
      made: stamp.at,
    },
  };
  const printed = words(reportHtml(data, []));
  const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
  printReport(run);
  const terminal = log.mock.calls.flat().join("\n");
  log.mockRestore();

  const { facts, exact, vectors, layers } = expected;
  const numbers = [String(exact), String(facts)];
  const [, fidelity] = found(inBar, /(mean fidelity) (\S+)/);
  // The cell has the details closed.
  expect(found(inCell, /(\d+) facts of “story” are in memory: (\d+) recalled word for word/)).toEqual([
    String(facts),
    String(exact),
  ]);
  expect(found(inCell, /Size, for .*? of text (\S+ [KM]?B)/)).toEqual([bytes(sizes.vectors)]);
  expect(found(printed, /Exact \d+ %, (\d+) of (\d+)/)).toEqual(numbers);
  expect(found(printed, /Mean fidelity (\S+)/)).toEqual([fidelity]);
  expect(found(printed, /Stored vectors (.*? [KM]?B) Routing index (.*? [KM]?B)/)).toEqual([
    bytes(sizes.vectors),
    bytes(sizes.index),
  ]);
  const shown = [...printed.matchAll(/layer (\d+) (\d+) fact/g)].map(([, layer, count]) => [
    layer,
    Number(count),
  ]);
  expect(shown.map(([layer]) => layer).join(" ")).toBe(layers);
  expect(shown.reduce((sum, [, count]) => sum + (count as number), 0)).toBe(facts);
  expect(found(inBar, /^ (\d+) facts in (\d+) vectors/)).toEqual([String(facts), String(vectors)]);
  expect(
    found(
      printed,
      /(\d+) facts in (\d+) vectors , (\d+) of them|(\d+) facts in (\d+) vectors, (\d+) of them/,
    ).filter(Boolean),
  ).toEqual([String(facts), String(vectors), String(exact)]);
  expect(found(terminal, /(\d+) of (\d+) exact, mean fidelity (\S+), layers ([\d ]+)\./)).toEqual([
    ...numbers,
    fidelity,
    layers,
  ]);
  const kept = keptText(sizes);
  expect(terminal).toContain(kept.slice(1));
  expect(kept).toContain(
    `${bytes(sizes.vectors)} of stored vectors and ${bytes(sizes.index)} of routing index`,
  );
});

it("says so where the memory is no longer what the run left", () => {
  const summary = {
    ...summaryOf(made),
    stamp: { at: "", milliseconds: 1, backend: "", model: "", app: "", inputs: "" },
  };
  const text = words(renderToStaticMarkup(createElement(Summary, { summary, facts: rows.slice(2) })));
  expect(text).toContain(`The memory has changed since: it holds ${rows.length - 2} facts now.`);
});
