/** @file One line about the fact that was picked in a text: its key, layer, fidelity, and the way to more. */

import { Button } from "../../../controls/Button.tsx";
import { count, percent } from "../../../format.ts";
import { layerColor } from "../../../layerColor.ts";
import type { FactId } from "../../../../records/ids.ts";
import type { FactRow } from "../../../../records/notebook.ts";
import { Row } from "../../../controls/layout.tsx";
import s from "./Reader.module.css";

export function FactLine({
  fact,
  hint,
  onOpen,
}: {
  readonly fact: FactRow | null;
  /** Shown while nothing is picked. */
  readonly hint: string;
  readonly onOpen: ((id: FactId) => void) | null;
}) {
  return (
    <Row wrap align="center" gap="0 var(--space-4)" tone="soft" size="s" className={s.fact} role="status">
      {fact ? (
        <>
          <span>
            <strong className="remembered">
              {fact.anchor} ({fact.index})
            </strong>
          </span>
          <span>
            <span className={s.swatch} style={{ "--layer": layerColor(fact.layer) } as object} />
            layer {fact.layer}
          </span>
          <span>{fidelityText(fact)}</span>
          <span className="num">offset {count(fact.offset)}</span>
          {onOpen && (
            <Button look="quiet" size="s" icon="panel" onClick={() => onOpen(fact.id)}>
              Inspect
            </Button>
          )}
        </>
      ) : (
        hint
      )}
    </Row>
  );
}

/** "exact", or the accuracy and the recalled words. */
function fidelityText({ exact, fidelity, recalled }: FactRow): string {
  if (exact) return "exact";
  return `fidelity ${percent(fidelity)}${recalled === null ? "" : `, recalled as “${recalled}”`}`;
}
