/** @file A fact that an answer rests on, as a small raised mark that opens it. */

import { Tooltip } from "../../controls/Tooltip.tsx";
import { cx } from "../../cx.ts";
import { layerColor } from "../../layerColor.ts";
import { usePrinting } from "../../controls/printing.ts";
import type { CitedFact } from "./cited.ts";
import s from "./Citation.module.css";

export function Citation({
  cited: { key, fact, gone },
  onOpen,
}: {
  readonly cited: CitedFact;
  readonly onOpen: () => void;
}) {
  const printing = usePrinting();
  const look = {
    className: cx(s.citation, gone && s.gone),
    style: { "--layer": layerColor(fact.layer) } as React.CSSProperties,
  };
  if (printing) return <span {...look}>{key}</span>;
  const words = gone ? `${key}: deleted since this answer` : fact.text || `${key}: kept without words`;
  return (
    <Tooltip text={words}>
      <button
        type="button"
        {...look}
        aria-label={gone ? `${key}, deleted since; show in the trace` : `${key}: open this fact`}
        onClick={onOpen}
      >
        {key}
      </button>
    </Tooltip>
  );
}
