/** @file The value of a fact for the eye: as the memory keeps it, or, where it keeps no words, as the model says it. */

import { useEffect } from "react";
import type { FactId } from "../../records/ids.ts";
import { useActions, useApp } from "../app.tsx";

/** A fact's value, null where the memory has none and the model has not said it; the open model is asked for it. */
export function useStored({
  id,
  value,
}: {
  readonly id: FactId;
  readonly value: string | null;
}): string | null {
  const said = useApp(({ memory }) => memory.said.get(id));
  const open = useApp(({ device }) => device.model !== null);
  const { sayFact } = useActions();
  const wanted = value === null && said === undefined && open;
  useEffect(() => {
    if (wanted) sayFact(id);
  }, [wanted, sayFact, id]);
  return value ?? said ?? null;
}
