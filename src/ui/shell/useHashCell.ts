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
      element.scrollIntoView({ block: "start" });
      element.dataset["lit"] = "";
      setTimeout(() => {
        delete element.dataset["lit"];
      }, LIT);
    };
    show();
    addEventListener("hashchange", show);
    return () => {
      removeEventListener("hashchange", show);
    };
  }, [id, select]);
}
