/** @file The address follows the fact that is shown, and an address that names a fact shows it. */

import { useEffect, useRef } from "react";
import type { InspectorTarget } from "../../state/types.ts";
import { useActions, useApp } from "../app.tsx";
import { factHash, factOfHash, isFactHash } from "./fact/factLink.ts";

export function useFactLink(target: InspectorTarget | null): void {
  const { inspect } = useActions();
  const notebook = useApp(({ currentId }) => currentId);
  useEffect(() => {
    const show = (): void => {
      const id = factOfHash(location.hash);
      if (id) inspect({ kind: "fact", id });
    };
    show();
    addEventListener("hashchange", show);
    return () => {
      removeEventListener("hashchange", show);
    };
  }, [inspect]);

  const shown = target?.kind === "fact" ? target.id : null;
  const before = useRef<string | null>(null);
  useEffect(() => {
    if (shown) history.replaceState(null, "", factHash(shown));
    else if (before.current && isFactHash(location.hash))
      history.replaceState(null, "", location.pathname + location.search);
    before.current = shown;
  }, [shown]);

  // A fact belongs to its notebook: with another one on the page it is gone from the drawer.
  const opened = useRef(notebook);
  useEffect(() => {
    const other = opened.current !== null && opened.current !== notebook;
    opened.current = notebook;
    if (other && before.current) inspect(null);
  }, [notebook, inspect]);
}
