/** @file One leaf of the palimpsest: sentences in ink, lost writing as ghosts, long gaps as ruled lines. */

import { useState } from "react";
import { cx } from "../../../cx.ts";
import { useStored } from "../../../facts/Recalled.tsx";
import { counted } from "../../../format.ts";
import { layerColor } from "../../../layerColor.ts";
import { keyText } from "../../../../records/fact.ts";
import type { FactId } from "../../../../records/ids.ts";
import type { FactRow } from "../../../../records/notebook.ts";
import { wordsOf, type Gap, type Leaf, type Recalled } from "./segments.ts";
import { Stack, Text } from "../../../controls/layout.tsx";
import s from "./Palimpsest.module.css";

export interface LeafLook {
  readonly leaving: ReadonlySet<FactId>;
  readonly changed: ReadonlyMap<FactId, string>;
  readonly picked: FactRow | null;
  /** Milliseconds until a fact writes itself in when it is first drawn; null when it was there before. */
  readonly arrival: (id: FactId) => number | null;
  readonly onPick: (fact: FactRow) => void;
}

export function LeafView({ leaf, ...look }: LeafLook & { readonly leaf: Leaf }) {
  if (leaf.kind === "blank") return <Blank leaf={leaf} />;
  return (
    <p className={s.flow}>
      {leaf.segments.map((segment) =>
        segment.kind === "gap" ? (
          <Lost key={segment.start} gap={segment} />
        ) : (
          <Sentence key={segment.row.id} segment={segment} {...look} />
        ),
      )}
    </p>
  );
}

/** A long gap: empty lines and the length of the lost text. */
function Blank({ leaf: { start, end, lines } }: { readonly leaf: Extract<Leaf, { kind: "blank" }> }) {
  return (
    <div className={s.blank} style={{ "--lines": lines } as object}>
      <span className={s.ghost} aria-hidden="true" data-strokes={strokes(start, lines * FULL_LINE)} />
      <Stack as="span" tone="soft" className={s.length}>
        {counted(end - start, "character")} forgotten
      </Stack>
    </div>
  );
}

/** A gap within a line, as long as the lost text; one or two characters were white space. */
function Lost({ gap }: { readonly gap: Gap }) {
  const length = gap.end - gap.start;
  if (length <= 2) return " ";
  return (
    <>
      <span className="visually-hidden"> ({counted(length, "character")} forgotten) </span>
      <span className={s.ghost} aria-hidden="true" data-strokes={` ${strokes(gap.start, length - 2)} `} />
    </>
  );
}

function Sentence({
  segment,
  leaving,
  changed,
  picked,
  arrival,
  onPick,
}: LeafLook & { readonly segment: Recalled }) {
  const { row } = segment;
  // Asked once: the pen writes a sentence when it is first drawn.
  const [delay, setDelay] = useState(() => arrival(row.id));
  const gone = leaving.has(row.id);
  return (
    <span
      className={cx(
        s.sentence,
        !row.exact && s.inexact,
        changed.has(row.id) && s.changed,
        gone ? s.scraped : delay !== null && s.writing,
        picked?.id === row.id && s.picked,
      )}
      style={{ "--layer": layerColor(row.layer), "--delay": `${delay ?? 0}ms` } as object}
      data-at={row.offset}
      data-fact={row.id}
      {...(gone ? { "aria-hidden": true } : {})}
      // The mask would continue to clip the content below the words.
      onAnimationEnd={() => setDelay(null)}
      onClick={() => onPick(row)}
    >
      <Words row={row} />
      {changed.has(row.id) && (
        <Text tone="soft" font="sans" size="xs" className={s.note}>
          changed by hand
        </Text>
      )}
    </span>
  );
}

/** The words of a fact with its anchor in the layer's colour; its key if there are no words. */
function Words({ row }: { readonly row: FactRow }) {
  const { anchor } = row;
  const said = useStored(row);
  const words = wordsOf(row) ?? said;
  if (words === null) return `[${keyText(row)}]`;
  const at = words.toLowerCase().indexOf(anchor.toLowerCase());
  if (at < 0) return words;
  return (
    <>
      {words.slice(0, at)}
      <Text weight="bold" style={{ color: "color-mix(in oklab, var(--layer) 72%, var(--ink))" }}>
        {words.slice(at, at + anchor.length)}
      </Text>
      {words.slice(at + anchor.length)}
    </>
  );
}

/** More strokes than a line of the widest page holds; what is over is clipped. */
const FULL_LINE = 110;

/** `length` characters of strokes in words, the same for the same seed. */
export function strokes(seed: number, length: number): string {
  let state = (seed * 2_654_435_761 + 1) >>> 0;
  const next = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  let text = "";
  while (text.length < length) {
    for (let left = 2 + next(3) + next(5); left > 0; left--) text += MINIMS[next(MINIMS.length)];
    text += " ";
  }
  return text.slice(0, length);
}

const MINIMS = ["ı", "ı", "n", "u", "m", "ȷ", "ſ", "ı"] as const;
