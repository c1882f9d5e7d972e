/** @file A link to a cell (#cell-…) scrolls to it and lights it up for a moment. */

import { useEffect } from "react";
import { useActions, useNotebook } from "../app.tsx";
import { cellAnchor } from "./goToCell.ts";

const LIT = 1800;

export function useHashCell(): void {
  const { id } = useNotebook();
  const { select } = useActions();
  useEffect(() => {
    const show = (): void => {
      const name = decodeURIComponent(location.hash.slice(1));
      const element = name.startsWith(cellAnchor("")) ? document.getElementById(name) : null;
      if (!element) return;
      select(name.slice(cellAnchor("").length));
      const stop = keepInView(element);
      element.dataset["lit"] = "";
      setTimeout(() => {
        stop();
        delete element.dataset["lit"];
      }, LIT);
    };
    show();
    addEventListener("hashchange", show);
    return () => removeEventListener("hashchange", show);
  }, [id, select]);
}

/** Scrolls to `element` and holds it there while what is above it is still being drawn, unless the user scrolls. */
function keepInView(element: HTMLElement): () => void {
  const scroll = (): void => element.scrollIntoView({ block: "start" });
  scroll();
  const drawn = new ResizeObserver(scroll);
  drawn.observe(document.body);
  const stop = (): void => {
    drawn.disconnect();
    for (const event of USER_SCROLLS) removeEventListener(event, stop);
  };
  for (const event of USER_SCROLLS) addEventListener(event, stop, { passive: true });
  return stop;
}

const USER_SCROLLS = ["wheel", "touchmove", "keydown", "pointerdown"] as const;
