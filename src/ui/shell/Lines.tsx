/** @file The first lines of a deleted text, as the model says them. */

import { useMemo } from "react";
import type { FactRow, SourceEntry } from "../../records/notebook.ts";
import { useActions, useApp, useFactRows } from "../app.tsx";
import { LeafView } from "../cells/source/palimpsest/Palimpsest.tsx";
import { factsOf, leavesOf, segmentsOf } from "../cells/source/palimpsest/segments.ts";
import { Button } from "../controls/basics.tsx";
import { Note, Stack } from "../controls/layout.tsx";
import { count, counted } from "../format.ts";
import o from "./Opening.module.css";

export function Lines({ entry, onMore }: { readonly entry: SourceEntry; readonly onMore: () => void }) {
  const { inspect } = useActions();
  const facts = useFacts(entry);
  const said = useApp(({ memory }) => memory.said);
  const leaves = useMemo(() => leavesFrom(facts, entry.characters, said), [facts, entry, said]);
  const exact = facts.filter((fact) => fact.exact).length;
  return (
    <Stack gap={2} justify="start" className={o.half}>
      <Note className={o.caption}>
        {`Deleted: ${counted(entry.characters, "character")} of text. `}
        {facts.length > 0 &&
          `Said from memory: ${counted(facts.length, "sentence")}, ${exact === facts.length ? "each" : `${count(exact)} of them`} word for word.`}
      </Note>
      <div className={o.page}>
        {leaves.slice(0, LEAVES).map((leaf) => (
          <LeafView
            key={leaf.key}
            leaf={leaf}
            {...STILL}
            onPick={({ id }) => inspect({ kind: "fact", id })}
          />
        ))}
      </div>
      <Button look="quiet" size="s" label="The whole page" className={o.more ?? ""} onClick={onMore} />
    </Stack>
  );
}

function useFacts({ id }: SourceEntry): readonly FactRow[] {
  const rows = useFactRows();
  return useMemo(() => (rows ? factsOf(rows, id) : []), [rows, id]);
}

function leavesFrom(facts: readonly FactRow[], characters: number, said: ReadonlyMap<FactRow["id"], string>) {
  const segments = segmentsOf(facts, characters, said);
  return leavesOf(segments.slice(segments.findIndex(({ kind }) => kind === "recalled")));
}

const LEAVES = 2;
const STILL = {
  leaving: new Set<FactRow["id"]>(),
  changed: new Map<FactRow["id"], string>(),
  picked: null,
  arrival: () => null,
} as const;
