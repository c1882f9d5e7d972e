/** @file One block of the reader: its paragraphs with strokes under candidates, anchors, and search hits. */

import { memo } from "react";
import { keyText } from "../../../../records/fact.ts";
import type { FactRow } from "../../../../records/notebook.ts";
import { cx } from "../../../cx.ts";
import { layerColor } from "../../../layerColor.ts";
import { reasonWords, strokeOf } from "../marks.ts";
import { paragraphsOf, type Overlays, type TextRun } from "./runs.ts";
import s from "./Reader.module.css";

interface Look {
  readonly shown: number;
  readonly hit: number;
  readonly picked: FactRow | null;
  readonly onPick: (fact: FactRow) => void;
}

interface BlockProps extends Look {
  readonly text: string;
  readonly start: number;
  readonly overlays: Overlays;
}

export const Block = memo(function Block({ text, start, overlays, ...look }: BlockProps) {
  const paragraphs = paragraphsOf(text, start, overlays);
  return paragraphs.map((paragraph, i) => (
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
  ));
});

function RunSpan({ run, shown, hit, picked, onPick }: Look & { readonly run: TextRun }) {
  const { anchorOf: fact, kinds, opens, start, text } = run;
  const stroke = strokeOf(kinds, shown);
  const isHit = run.hit !== null;
  const look = cx(stroke && s[stroke], isHit && s.hit, isHit && run.hit === hit && s.current);
  if (!fact && !look && !opens) return text;
  return (
    <span
      className={cx(fact && s.anchor, look, fact && picked?.id === fact.id && s.picked) || undefined}
      {...(opens && { "data-at": start })}
      {...(isHit && { "data-hit": run.hit })}
      {...(fact && {
        style: { "--layer": layerColor(fact.layer) } as object,
        title: `${keyText(fact)}, layer ${fact.layer}${kinds ? `; ${reasonWords(kinds)}` : ""}`,
        "data-anchor": fact.id,
        onClick: () => onPick(fact),
      })}
    >
      {text}
    </span>
  );
}
