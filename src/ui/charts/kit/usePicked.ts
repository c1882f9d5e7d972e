/** @file What was picked of a figure: one fact opens at once, several are listed until another row is picked. */

import { useRef, useState } from "react";
import { countedFacts, isLeading, namedFacts } from "../../../figures/links.ts";
import { traitsOf, type FigureKind, type FigureOf, type RowOf } from "../../../figures/registry.ts";
import type { FactId } from "../../../records/ids.ts";
import type { FactRow } from "../../../records/notebook.ts";
import type { Picking } from "./picking.ts";

/** `pick` is null where a row leads nowhere, or the facts are not at hand. */
export function usePicked<K extends FigureKind>(figure: FigureOf<K>, picking: Picking | null) {
  const [picked, setPicked] = useState<{ readonly of: string; readonly row: RowOf<K> } | null>(null);
  const before = useRef<Element | null>(null);
  const way = picking ? traitsOf<K>(figure.kind).leads : null;
  const pick = (row: RowOf<K>): void => {
    if (!isLeading<K>(figure, row)) return;
    const named = namedFacts(figure, row);
    // A key and its rival are named in one row: the row is about the first.
    if (named[0] !== undefined && (way === "fact" || named.length === 1)) picking?.open(named[0] as FactId);
    else {
      before.current = document.activeElement;
      setPicked({ of: figure.id, row });
    }
  };
  const close = (): void => {
    setPicked(null);
    if (before.current instanceof HTMLElement) before.current.focus();
  };
  return {
    pick: way === null ? null : pick,
    close,
    picked: picking && picked?.of === figure.id ? listOf<K>(figure, picked, picking) : null,
  };
}

function listOf<K extends FigureKind>(
  figure: FigureOf<K>,
  pick: { readonly row: RowOf<K> },
  { facts }: Picking,
) {
  const named = new Set(namedFacts(figure, pick.row));
  const found =
    named.size > 0
      ? { facts: facts.filter(({ id }) => named.has(id)), words: "compared here" }
      : countedFacts<K, FactRow>(figure, pick.row, facts);
  return found && { ...found, pick };
}
