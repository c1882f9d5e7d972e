import { fileName } from "../../controls/page.ts";
import { describe, expect, it } from "vitest";
import { factsCsv } from "./SelectionBar.tsx";
import { overview, storedText } from "./MemoryCell.tsx";
import { omit } from "../../../lib/omit.ts";
import { factRow, longRow, manyRows } from "./testing/rows.ts";

/** A reader of RFC 4180 of its own, character by character. */
function readCsv(text: string): string[][] {
  const lines: string[][] = [[""]];
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const line = lines.at(-1)!;
    const put = (more: string): void => void (line[line.length - 1] += more);
    if (quoted && text.startsWith('""', i)) {
      put('"');
      i++;
    } else if (text[i] === '"') quoted = !quoted;
    else if (!quoted && text[i] === ",") line.push("");
    else if (!quoted && text.startsWith("\r\n", i)) {
      lines.push([""]);
      i++;
    } else put(text[i]!);
  }
  return lines.slice(0, -1);
}

describe("exported facts", () => {
  const rows = [factRow({ anchor: "a,b" }), factRow({ offset: 9, exact: false, fidelity: 0.5 }), longRow()];
  const said = new Map([
    [rows[0]!.id, 'She said "no", and left.\nThen came back.'],
    [rows[1]!.id, "=SUM(A1)"],
  ]);
  const lines = rows.map((row) => ({ ...omit(row, "digest"), said: said.get(row.id) ?? null }));

  it("come back from CSV field by field", () => {
    const [head, ...read] = readCsv(factsCsv(rows, said));
    for (const [i, line] of read.entries())
      for (const [n, name] of head!.entries())
        if (name !== "parts")
          expect(line[n]!.replace(/^'/, ""), name).toBe(
            String(lines[i]![name as keyof (typeof lines)[0]] ?? ""),
          );
    expect(head!.at(-1)).toBe("parts");
    expect(read.map((line) => line.at(-1))).toEqual(["1", "1", "3"]);
    expect(factsCsv(rows, said)).toContain(",'=SUM(A1),");
  });

  it("get a file name that every system takes", () => {
    expect(fileName("The Lamp: at/Harrow  Point", "csv")).toBe("the-lamp-at-harrow-point.csv");
    expect(fileName("***", "zip")).toBe("memory.zip");
  });
});

describe("overview", () => {
  it("counts facts, exact ones and layers", () => {
    const rows = manyRows(90);
    const { facts, exact, fidelity, layers } = overview(rows);
    expect(facts).toBe(90);
    expect(exact).toBe(rows.filter((row) => row.exact).length);
    expect(fidelity).toBeCloseTo(rows.reduce((sum, row) => sum + row.fidelity, 0) / 90, 12);
    expect(layers.map(({ layer }) => layer)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(layers.reduce((sum, layer) => sum + layer.facts, 0)).toBe(90);
    expect(layers.reduce((sum, layer) => sum + layer.exact, 0)).toBe(exact);
  });

  it("counts the vectors of facts in parts", () => {
    expect(overview([factRow(), longRow()])).toMatchObject({ facts: 2, vectors: 4 });
    expect(storedText([factRow(), longRow()])).toBe("2 facts in 4 vectors");
    expect(storedText([factRow()])).toBe("1 fact");
  });

  it("has no mean of nothing", () => {
    expect(overview([])).toEqual({
      facts: 0,
      vectors: 0,
      exact: 0,
      fidelity: null,
      margin: Infinity,
      layers: [],
    });
  });
});
