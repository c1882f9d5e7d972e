/** @file A similarity on the scale from 0 to 1, with θ: right of it the gate opens. */

import s from "./GateScale.module.css";

const WIDTH = 120;
const at = (value: number): number => Math.max(0, Math.min(1, value)) * WIDTH;

export function GateScale({
  similarity,
  theta,
  open,
}: {
  readonly similarity: number;
  readonly theta: number;
  readonly open: boolean;
}) {
  return (
    <svg
      className={s.scale}
      width={WIDTH + 8}
      height="18"
      viewBox={`-4 0 ${WIDTH + 8} 18`}
      role="img"
      aria-label={`similarity ${similarity.toFixed(3)}, threshold θ ${theta}`}
      data-open={open}
    >
      <line x1="0" x2={WIDTH} y1="9" y2="9" className={s.line} />
      <line x1={at(theta)} x2={WIDTH} y1="9" y2="9" className={s.beyond} />
      <line x1={at(theta)} x2={at(theta)} y1="2" y2="16" className={s.theta} />
      <circle cx={at(similarity)} cy="9" r="3.5" className={s.mark} />
    </svg>
  );
}
