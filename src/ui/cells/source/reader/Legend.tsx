/** @file What the strokes under the text mean, how many there are, and a switch for each. */

import type { MethodParams } from "../../../../records/params.ts";
import { cx } from "../../../cx.ts";
import { count, counted } from "../../../format.ts";
import { layerColor } from "../../../layerColor.ts";
import type { FactRow } from "../../../../records/notebook.ts";
import { valueText } from "../../../../records/parameterText.ts";
import { REASONS, type MarkCounts } from "./reasons.ts";
import { Row, Text } from "../../../controls/layout.tsx";
import s from "./Reader.module.css";

export function Legend({
  counts,
  filter,
  shown,
  onToggle,
  facts,
}: {
  /** Null while the sentences are being found. */
  readonly counts: MarkCounts | null;
  readonly filter: MethodParams["candidateFilter"];
  /** Bits of the reasons that are drawn. */
  readonly shown: number;
  readonly onToggle: (bit: number) => void;
  readonly facts: readonly FactRow[];
}) {
  const layers = [...new Set(facts.map(({ layer }) => layer))].toSorted((a, b) => a - b);
  return (
    <Row
      wrap
      align="baseline"
      gap="var(--space-1) var(--space-2)"
      size="s"
      role="group"
      aria-label="Marks in the text"
    >
      <Text tone="soft">
        {counts
          ? `${count(counts.candidates)} of ${counted(counts.sentences, "sentence")} pass the filter “${valueText("candidateFilter", filter)}”:`
          : "Finding sentences…"}
      </Text>
      {REASONS.map(({ reason, bit, label, example }) => (
        <button
          key={reason}
          type="button"
          className={s.key}
          aria-pressed={Boolean(shown & bit)}
          title={example}
          disabled={counts?.byReason[reason] === 0}
          onClick={() => onToggle(bit)}
        >
          <span className={cx(s.sample, s[reason])}>{label}</span>
          <Text tone="soft" className={cx("num")}>
            {counts ? count(counts.byReason[reason]) : "…"}
          </Text>
        </button>
      ))}
      {layers.length > 0 && (
        <Row as="span" wrap gap="0 0.6rem" flex="end" tone="soft" inline>
          Anchors in{" "}
          {layers.map((layer) => (
            <span key={layer} className={s.layer} style={{ "--layer": layerColor(layer) } as object}>
              layer {layer}
            </span>
          ))}
        </Row>
      )}
    </Row>
  );
}
