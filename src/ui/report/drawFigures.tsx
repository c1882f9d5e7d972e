/** @file Draws figures out of sight, with the components of the page, for SVG and PNG. */

import { createRoot } from "react-dom/client";
import type { AnyFigure } from "../../figures/registry.ts";
import { GuardedBody } from "../controls/lazily.tsx";
import { FigureView } from "../charts/FigureView.tsx";
import { TooltipProvider } from "../controls/basics.tsx";

/** Pixels: the width of a column of print. */
const WIDTH = 720;
/** Milliseconds to wait for a drawing; its library may have to be loaded. */
const PATIENCE = 20_000;
const GLANCE = 60;

/** Draws figures and passes the element of each drawing to `take`; null if it could not be drawn. */
export async function withDrawings<T>(
  figures: readonly AnyFigure[],
  take: (drawings: readonly (HTMLElement | null)[]) => Promise<T>,
): Promise<T> {
  const room = document.createElement("div");
  Object.assign(room.style, { position: "absolute", left: "-10000px", top: "0", width: `${WIDTH}px` });
  room.inert = true;
  document.body.append(room);
  const root = createRoot(room);
  try {
    root.render(
      <TooltipProvider>
        {figures.map((figure, i) => (
          <div key={i} data-report={i}>
            <GuardedBody>
              <FigureView figure={figure} />
            </GuardedBody>
          </div>
        ))}
      </TooltipProvider>,
    );
    const drawingOf = (i: number): HTMLElement | null => {
      const holder = room.querySelector<HTMLElement>(`[data-report="${i}"] [data-drawing]`);
      return holder?.querySelector("svg, canvas") ? holder : null;
    };
    const until = performance.now() + PATIENCE;
    while (performance.now() < until && figures.some((_, i) => !finished(room, i) && !drawingOf(i)))
      await pause(GLANCE);
    // Charts draw again when they know their size.
    await pause(2 * GLANCE);
    return await take(figures.map((_, i) => drawingOf(i)));
  } finally {
    root.unmount();
    room.remove();
  }
}

/** Whether there will be no drawing: the figure is a table, or failed. */
const finished = (room: HTMLElement, i: number): boolean =>
  room.querySelector(`[data-report="${i}"] :is([role=alert], table)`) !== null;

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
