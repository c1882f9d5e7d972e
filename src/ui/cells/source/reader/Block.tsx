/** @file One block of the reader: its paragraphs with strokes under candidates, anchors, and search hits. */

import { memo } from "react";
import { cx } from "../../../cx.ts";
import { layerColor } from "../../../layerColor.ts";
import type { FactRow } from "../../../../records/notebook.ts";
import { reasonWords, strokeOf } from "./reasons.ts";
import { paragraphsOf, type Overlays, type TextRun } from "./runs.ts";
import s from "./Reader.module.css";
import { keyText } from "../../../../records/fact.ts";

export interface BlockProps {
  readonly text: string;
  readonly start: number;
  readonly overlays: Overlays;
  /** Bits of the reasons whose strokes are drawn. */
  readonly shown: number;
  /** The search hit the eye is on. */
  readonly hit: number | null;
  /** The fact that was picked. */
  readonly picked: FactRow | null;
  readonly onPick: (fact: FactRow) => void;
}

export const Block = memo(function Block({ text, start, overlays, ...look }: BlockProps) {
  const paragraphs = paragraphsOf(text, start, overlays);
  return (
    <>
      {paragraphs.map((paragraph, i) => (
        <p
          key={paragraph.start}
          className={cx(
            s.paragraph,
            paragraph.wrapped && s.wrapped,
            i === paragraphs.length - 1 && !text.endsWith("\n") && s.unfinished,
          )}
        >
          {paragraph.runs.map((run) => (
            <RunSpan key={run.start} run={run} {...look} />
          ))}
        </p>
      ))}
    </>
  );
});

type Look = Pick<BlockProps, "shown" | "hit" | "picked" | "onPick">;

function RunSpan({ run, shown, hit, picked, onPick }: Look & { readonly run: TextRun }) {
  const { anchorOf: fact, kinds } = run;
  const stroke = strokeOf(kinds, shown);
  const place = run.opens ? { "data-at": run.start } : {};
  const look = cx(
    stroke && s[stroke],
    run.hit !== null && s.hit,
    run.hit !== null && run.hit === hit && s.current,
  );
  const mark = run.hit === null ? {} : { "data-hit": run.hit };
  if (!fact)
    return look || run.opens ? (
      <span className={look || undefined} {...place} {...mark}>
        {run.text}
      </span>
    ) : (
      run.text
    );
  return (
    <span
      className={cx(s.anchor, look, picked?.id === fact.id && s.picked)}
      style={{ "--layer": layerColor(fact.layer) } as object}
      title={`${keyText(fact)}, layer ${fact.layer}${kinds ? `; ${reasonWords(kinds)}` : ""}`}
      data-anchor={fact.id}
      {...place}
      {...mark}
      onClick={() => onPick(fact)}
    >
      {run.text}
    </span>
  );
}
