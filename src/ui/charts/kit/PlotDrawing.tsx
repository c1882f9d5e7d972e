/** @file A drawing by Observable Plot: fetched when the first one is drawn, themed by our tokens. */

import { useEffect, useRef } from "react";
import type { PlotOptions } from "@observablehq/plot";
import type { Row } from "../../../figures/figure.ts";
import s from "./Plot.module.css";

export type Plot = typeof import("@observablehq/plot");

/**
 * `make` gives the options; the height must be among them, so that nothing jumps when the library comes. It must
 * be the same function while nothing changes.
 */
export function PlotDrawing({
  width,
  height,
  make,
  onPick,
}: {
  readonly width: number;
  readonly height: number;
  readonly make: (plot: Plot, width: number) => PlotOptions;
  /** The row that the pointer's tip is about was clicked. */
  readonly onPick?: ((row: Row) => void) | null;
}) {
  const holder = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let gone = false;
    void import("@observablehq/plot").then((plot) => {
      if (gone || !holder.current) return;
      const drawn = plot.plot({ width, height, ...make(plot, width), className: s.plot! });
      // Plot names its groups, which have no roles; the whole drawing has a name already.
      drawn.setAttribute("aria-hidden", "true");
      holder.current.replaceChildren(drawn);
    });
    return () => {
      gone = true;
    };
  }, [width, height, make]);
  return (
    <div
      ref={holder}
      style={{ width, height, ...(onPick ? { cursor: "pointer" } : {}) }}
      onClick={() => {
        const drawn = holder.current?.querySelector("svg") as (SVGSVGElement & { value?: Row | null }) | null;
        if (drawn?.value) onPick?.(drawn.value);
      }}
    />
  );
}
