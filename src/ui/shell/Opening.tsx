/** @file What a newcomer sees first of the worked example: lines of the palimpsest, and a question answered from it. */

import { useMemo } from "react";
import { EXAMPLE_ID } from "../../notebook/example.ts";
import { firstOf } from "../../notebook/places.ts";
import type { FactRow, SourceEntry } from "../../records/notebook.ts";
import { useActions, useNotebook, useFactRows } from "../app.tsx";
import type { Exchange } from "../cells/ask/history.ts";
import { PartView } from "../cells/ask/ExchangeView.tsx";
import { LeafView } from "../cells/source/palimpsest/Palimpsest.tsx";
import { leavesOf, segmentsOf, factsOf } from "../cells/source/palimpsest/segments.ts";
import { Button } from "../controls/basics.tsx";
import { ranOn } from "../facts/words.ts";
import { count, counted, dateTime } from "../format.ts";
import { goToCell } from "../controls/page.ts";
import { Grid, Stack, Text, Note } from "../controls/layout.tsx";
import s from "./Opening.module.css";

export function Opening() {
  const notebook = useNotebook();
  const source = firstOf(notebook, "source");
  const ask = firstOf(notebook, "ask");
  const entry = source?.input.documents.find(({ kept }) => !kept);
  const exchange = ask?.output?.history[0];
  if (notebook.id !== EXAMPLE_ID || !entry || !exchange) return null;
  return (
    <Grid
      as="section"
      gap="var(--space-5) var(--space-6)"
      columns="minmax(0, 1.5fr) minmax(0, 1fr)"
      className={s.opening}
      aria-label="An example from the memory"
    >
      <Lines entry={entry} onMore={() => goToCell(source!.id)} />
      <Answered exchange={exchange} onMore={() => goToCell(ask!.id)} />
    </Grid>
  );
}

function Lines({ entry, onMore }: { readonly entry: SourceEntry; readonly onMore: () => void }) {
  const { inspect } = useActions();
  const facts = useFacts(entry);
  const leaves = useMemo(() => leavesFrom(facts, entry.characters), [facts, entry]);
  const exact = facts.filter((fact) => fact.exact).length;
  return (
    <Stack gap={2} justify="start" className={s.half}>
      <Note className={s.caption}>
        {`Thrown away: ${counted(entry.characters, "character")}. `}
        {facts.length > 0 &&
          `Said from memory: ${counted(facts.length, "sentence")}, ${exact === facts.length ? "each" : `${count(exact)} of them`} word for word.`}
      </Note>
      <div className={s.page}>
        {leaves.slice(0, LEAVES).map((leaf) => (
          <LeafView
            key={leaf.key}
            leaf={leaf}
            {...STILL}
            onPick={({ id }) => inspect({ kind: "fact", id })}
          />
        ))}
      </div>
      <Button look="quiet" size="s" label="The whole page" className={s.more ?? ""} onClick={onMore} />
    </Stack>
  );
}

function Answered({ exchange, onMore }: { readonly exchange: Exchange; readonly onMore: () => void }) {
  const { inspect } = useActions();
  const { answer, stamp } = exchange;
  return (
    <Stack gap={2} justify="start" className={s.half}>
      <Note className={s.caption}>
        Asked {dateTime(stamp.at)}, {ranOn(stamp)}
      </Note>
      <Text as="p" tone="soft" font="serif" italic>
        {answer.question}
      </Text>
      {answer.asked.map((part, i) => (
        <PartView
          key={i}
          part={part}
          answer={answer}
          rows={null}
          named={false}
          onOpen={({ fact }) => inspect({ kind: "fact", id: fact.id })}
        />
      ))}
      <Button look="quiet" size="s" className={s.more ?? ""} onClick={onMore}>
        See why, and ask your own question
      </Button>
    </Stack>
  );
}

/** The facts of a text by offset; none until they are read. */
function useFacts({ id }: SourceEntry): readonly FactRow[] {
  const rows = useFactRows();
  return useMemo(() => (rows ? factsOf(rows, id) : []), [rows, id]);
}

function leavesFrom(facts: readonly FactRow[], characters: number) {
  const segments = segmentsOf(facts, characters);
  return leavesOf(segments.slice(segments.findIndex(({ kind }) => kind === "recalled")));
}

const LEAVES = 2;
const STILL = {
  leaving: new Set<FactRow["id"]>(),
  changed: new Map<FactRow["id"], string>(),
  picked: null,
  arrival: () => null,
} as const;
