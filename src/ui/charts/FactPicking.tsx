/** @file Figures inside lead to the facts of a memory: the open notebook's, or another's, whose notebook is then opened. */

import { useMemo, type ReactNode } from "react";
import type { FactRow } from "../../records/notebook.ts";
import { useActions } from "../app.tsx";
import { PickingContext } from "./kit/picking.ts";

export function FactPicking({
  facts,
  other,
  children,
}: {
  readonly facts: readonly FactRow[];
  /** The notebook that has the facts, where it is not the open one. */
  readonly other?: { readonly id: string; readonly title: string } | undefined;
  readonly children: ReactNode;
}) {
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
