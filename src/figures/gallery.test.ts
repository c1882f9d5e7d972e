/** @file The recorded gallery: a real recall, lens and layer of the bundled model, and every figure drawn from them. */

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { toCsv, toJson, type Figure, type Row } from "./figure.ts";
import { DEGENERATE } from "./testing/degenerate.ts";
import { galleryFigures, type Gallery } from "./testing/gallery.ts";
import { fromCsv, fromJson } from "./testing/readFigure.ts";
import { regate } from "./gates.ts";

const FILE = "docs/runs/gallery.json";
const text = readFileSync(FILE, "utf8");
const gallery = JSON.parse(text) as Gallery;
const figures = galleryFigures(gallery);
const rowsOf = (id: string): readonly Row[] => figures.find(({ figure }) => figure.id === id)!.figure.rows;

/** One that is counted as many. */
const ONE_AS_MANY =
  /(?<![.,\d])1 (?:more |older |other )?(?:facts|vectors|keys|parts|steps|tokens|layers|sentences|candidates|anchors|characters|cases|points)\b/;

it.each(Object.entries(DEGENERATE))("no caption counts one as many: %s", (_, change) => {
  const captions = galleryFigures(change(gallery)).map(({ figure }) => figure.caption);
  expect(captions.filter((caption) => ONE_AS_MANY.test(caption))).toEqual([]);
});

it("a figure of one or of none says so, and nothing of what it has not", () => {
  const caption = (change: (gallery: Gallery) => Gallery, id: string): string =>
    galleryFigures(change(gallery)).find(({ figure }) => figure.id === id)!.figure.caption;
  expect(caption(DEGENERATE["one-fact"], "loss-curves")).not.toContain("1 of 1");
  expect(caption(DEGENERATE.alike, "map-key-pca")).toContain("all alike");
});

describe("the gallery", () => {
  it("is below 1 MB", () => {
    expect(text.length).toBeLessThan(1_000_000);
  });

  it.each(figures.map(({ section, figure }) => [`${section}: ${figure.title}`, figure] as const))(
    "%s has rows, a unit or none for every column, and reads back from its files",
    (_, figure: Figure) => {
      expect(figure.rows.length).toBeGreaterThan(0);
      const names = figure.columns.map(({ name }) => name);
      for (const row of figure.rows) expect(Object.keys(row)).toEqual(names);
      // As a spreadsheet heads them.
      const heads = figure.columns.map(({ label, unit }) => `${label} (${unit})`);
      expect(new Set(heads).size, String(heads)).toBe(heads.length);
      expect(fromCsv(toCsv(figure))).toEqual(figure);
      expect(fromJson(toJson(figure))).toEqual(figure);
    },
  );

  it("agrees with its records", () => {
    const count = (id: string, name: string) =>
      rowsOf(id).reduce((sum, row) => sum + (row[name] as number), 0);
    expect(count("facts-per-layer", "facts")).toBe(gallery.facts.length);
    expect(count("extraction-strip", "sentences")).toBe(gallery.extraction.sentences.length);
    const anchors = rowsOf("extraction-reasons").filter((row) => row["decided"] === "anchors");
    expect(anchors.reduce((sum, row) => sum + (row["count"] as number), 0)).toBe(
      gallery.extraction.anchors.length,
    );
    expect(count("steps-histogram", "exact")).toBe(gallery.facts.filter(({ exact }) => exact).length);
    expect(rowsOf("round-robin").every((row) => row["byEquation"])).toBe(true);
  });

  it("shows δ at work: the right token first with it at every step, not so without", () => {
    const rows = rowsOf("token-logits");
    expect(rows.every((row) => row["rankWith"] === 1 && row["exact"])).toBe(true);
    expect(rows.some((row) => (row["rankWithout"] as number) > 1)).toBe(true);
  });

  it("opens the soft gate where the recall itself opened it, and shuts it as θ rises", () => {
    const { trace } = gallery;
    const open = (theta: number) =>
      regate(trace, trace.soft, { theta, beta: trace.beta }).flatMap(({ open, position }) =>
        open ? [position] : [],
      );
    expect(open(trace.theta)).toEqual(trace.soft.openPositions);
    expect(open(trace.theta)).toContain(trace.keyPosition);
    expect(open(1)).toEqual([]);
  });
});
