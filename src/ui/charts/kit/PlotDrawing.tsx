/** @file A drawing by Observable Plot: fetched when the first one is drawn, themed by our tokens. */

import { useEffect, useRef } from "react";
import type { PlotOptions } from "@observablehq/plot";
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
}: {
  readonly width: number;
  readonly height: number;
  readonly make: (plot: Plot, width: number) => PlotOptions;
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
  return <div ref={holder} style={{ width, height }} />;
}
