/** @file Lets figures open the facts of a memory: of the open notebook, or of another, which is then opened. */

import { useMemo, type ReactNode } from "react";
import type { FactRow } from "../../records/notebook.ts";
import { useActions } from "../app.tsx";
import { PickingContext } from "./kit/picture.ts";

interface FactPickingProps {
  readonly facts: readonly FactRow[];
  /** The notebook of the facts, if it is not the open one. */
  readonly other?: { readonly id: string; readonly title: string } | undefined;
  readonly children: ReactNode;
}

export function FactPicking({ facts, other, children }: FactPickingProps) {
  const { inspect, openNotebook } = useActions();
  const picking = useMemo(
    () => ({
      facts,
      open: (id: FactRow["id"]) => {
        if (other) void openNotebook(other.id).then(() => inspect({ kind: "fact", id }));
        else inspect({ kind: "fact", id });
      },
      ...(other ? { where: other.title } : {}),
    }),
    [facts, other, inspect, openNotebook],
  );
  return <PickingContext value={picking}>{children}</PickingContext>;
}
