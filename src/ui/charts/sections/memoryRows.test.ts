import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Gallery } from "../../../figures/testing/gallery.ts";
import { SHARP } from "../../../records/params.ts";
import { roundRobin, withOrders } from "../../../figures/layers.ts";
import { spreadFacts } from "./sides.ts";

const gallery = JSON.parse(readFileSync("docs/runs/gallery.json", "utf8")) as Gallery;

describe("rows of a memory as the page knows it", () => {
  it("anchors have the orders that memorising gave them, so that Eq. 2 explains every layer", () => {
    const placed = withOrders(gallery.facts);
    const orders = new Map(placed.map(({ anchor, anchorOrder }) => [anchor, anchorOrder]));
    const sorted = [...orders].map(([anchor, order]) => ({ anchor, order }));
    expect(sorted.toSorted((a, b) => a.order - b.order)).toEqual(gallery.orders);
    const { layersFrom } = SHARP;
    const { rows } = roundRobin({ facts: placed, layers: gallery.layers, layersFrom }, gallery.source);
    expect(rows).toHaveLength(gallery.facts.length);
    expect(rows.filter(({ byEquation }) => !byEquation)).toEqual([]);
  });

  it("a sample is spread from the first fact to the last", () => {
    const sample = spreadFacts(gallery.facts, 5);
    expect(sample).toHaveLength(5);
    expect(sample[0]).toBe(gallery.facts[0]);
    expect(sample.at(-1)).toBe(gallery.facts.at(-1));
  });
});
