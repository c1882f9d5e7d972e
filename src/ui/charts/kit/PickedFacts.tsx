/** @file The facts behind a bar, a bucket or a cell of a matrix, each a way into the inspector. */

import { useEffect, useRef, useState } from "react";
import type { FactRow } from "../../../records/notebook.ts";
import { Button, IconButton } from "../../controls/Button.tsx";
import { keyText } from "../../../records/fact.ts";
import { count, counted } from "../../format.ts";
import type { Picking } from "./picking.ts";
import { numberText } from "./text.ts";
import s from "./Picked.module.css";

/** Facts listed at first, and more of at a time. */
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
  /** Another object at every pick: the list takes the focus then. */
  readonly pick: object;
  readonly picking: Picking;
  readonly onClose: () => void;
}) {
  const [shown, setShown] = useState(PART);
  const region = useRef<HTMLElement>(null);
  const title = `${counted(facts.length, "fact")} ${words}`.trim();
  // A bar was chosen: its facts are read from their beginning.
  useEffect(() => {
    setShown(PART);
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
      <div className={s.head}>
        <strong>{title}</strong>
        {picking.where && <span className={s.note}>They open in “{picking.where}”.</span>}
        <IconButton icon="close" size="s" label="Close the list" keys="Esc" onClick={onClose} />
      </div>
      <ul className={s.list}>
        {facts.slice(0, shown).map((fact) => (
          <li key={fact.id}>
            <button type="button" className={s.fact} onClick={() => picking.open(fact.id)}>
              <span className={s.key}>{keyText(fact)}</span>
              <span className={s.value}>{fact.value}</span>
              {!fact.exact && <span className={s.note}>F1 {numberText(fact.fidelity)}</span>}
            </button>
          </li>
        ))}
      </ul>
      {facts.length > shown && (
        <Button look="quiet" size="s" onClick={() => setShown(shown + 4 * PART)}>
          {count(shown)} of {count(facts.length)}; show more
        </Button>
      )}
    </section>
  );
}
