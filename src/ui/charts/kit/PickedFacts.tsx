/** @file From a mark to its facts: one fact opens at once, several are listed until another mark is chosen. */

import { useEffect, useRef, useState } from "react";
import { countedFacts, isLeading, namedFacts } from "../../../figures/links.ts";
import { traitsOf, type FigureKind, type FigureOf, type RowOf } from "../../../figures/registry.ts";
import { keyText } from "../../../records/fact.ts";
import type { FactId } from "../../../records/ids.ts";
import type { FactRow } from "../../../records/notebook.ts";
import { IconButton } from "../../controls/Button.tsx";
import { Row, Stack, Text } from "../../controls/layout.tsx";
import { count, counted } from "../../format.ts";
import { FirstOf } from "../../table/FirstOf.tsx";
import type { Picking } from "./context.ts";
import { numberText } from "./text.ts";
import s from "../charts.module.css";

/** `pick` is null if the figure's rows lead nowhere, or the facts are not at hand. */
export function usePicked<K extends FigureKind>(figure: FigureOf<K>, picking: Picking | null) {
  const [chosen, setChosen] = useState<{ readonly of: string; readonly row: RowOf<K> } | null>(null);
  const before = useRef<Element | null>(null);
  const { leads } = traitsOf<K>(figure.kind);
  const pick = (row: RowOf<K>): void => {
    if (!isLeading<K>(figure, row)) return;
    const [first, ...others] = namedFacts(figure, row);
    // A row that names a key and its rival is about the first.
    if (first !== undefined && (leads === "fact" || others.length === 0)) picking?.open(first as FactId);
    else {
      before.current = document.activeElement;
      setChosen({ of: figure.id, row });
    }
  };
  const close = (): void => {
    setChosen(null);
    if (before.current instanceof HTMLElement) before.current.focus();
  };
  return {
    pick: picking && leads !== null ? pick : null,
    close,
    picked: picking && chosen?.of === figure.id ? listOf<K>(figure, chosen, picking) : null,
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

/** Facts listed at first, and more per press. */
const PART = 24;

export function PickedFacts({
  facts,
  words,
  pick,
  picking,
  onClose,
}: {
  readonly facts: readonly FactRow[];
  readonly words: string;
  /** A new object for every choice: the list then takes the focus. */
  readonly pick: object;
  readonly picking: Picking;
  readonly onClose: () => void;
}) {
  const region = useRef<HTMLElement>(null);
  const title = `${counted(facts.length, "fact")} ${words}`.trim();
  useEffect(() => {
    region.current?.focus({ preventScroll: true });
    region.current?.scrollIntoView({ block: "nearest" });
  }, [pick]);
  return (
    <section
      ref={region}
      className={s.picked}
      aria-label={title}
      tabIndex={-1}
      data-picked=""
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onClose();
      }}
    >
      <Row wrap align="baseline" gap="0 0.75rem">
        <strong>{title}</strong>
        <Text tone="soft" flex="grow">
          {picking.where && `They open in “${picking.where}”.`}
        </Text>
        <IconButton icon="close" size="s" label="Close the list" keys="Esc" onClick={onClose} />
      </Row>
      <FirstOf
        key={title}
        items={facts}
        first={PART}
        step={4 * PART}
        more={(shown) => `${count(shown)} of ${count(facts.length)}; show more`}
      >
        {(shown) => (
          <Stack as="ul" plainList className={s.list}>
            {shown.map((fact) => (
              <li key={fact.id}>
                <Row
                  as="button"
                  type="button"
                  wrap
                  gap="0 0.75rem"
                  align="baseline"
                  className={s.fact}
                  onClick={() => picking.open(fact.id)}
                >
                  <Text tone="lapis">{keyText(fact)}</Text>
                  <Text font="serif" flex="grow">
                    {fact.value}
                  </Text>
                  {!fact.exact && <Text tone="soft">F1 {numberText(fact.fidelity)}</Text>}
                </Row>
              </li>
            ))}
          </Stack>
        )}
      </FirstOf>
    </section>
  );
}
