/** @file The address follows the fact that is shown, and an address that names a fact shows it. */

import { useEffect, useRef } from "react";
import type { InspectorTarget } from "../../state/types.ts";
import { useActions, useApp } from "../app.tsx";
import { factHash, factOfHash, isFactHash } from "./fact/factLink.ts";

export function useFactLink(target: InspectorTarget | null): void {
  const { inspect } = useActions();
  const notebook = useApp(({ currentId }) => currentId);
  const shown = target?.kind === "fact" ? target.id : null;
  const before = useRef<string | null>(null);
  useEffect(() => {
    if (shown) history.replaceState(null, "", factHash(shown));
    else if (before.current && isFactHash(location.hash))
      history.replaceState(null, "", location.pathname + location.search);
    before.current = shown;
  }, [shown]);

  // After the effect above: the fact of a notebook that was left is out of the address when this one looks.
  useEffect(() => {
    if (!notebook) return;
    const show = (): void => {
      const id = factOfHash(location.hash);
      if (id) inspect({ kind: "fact", id });
    };
    show();
    addEventListener("hashchange", show);
    return () => removeEventListener("hashchange", show);
  }, [notebook, inspect]);
}
