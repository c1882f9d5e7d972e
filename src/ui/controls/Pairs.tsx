/** @file Names and values side by side; how they stand is the caller's to say. */

import type { ReactNode } from "react";

export type Pair = readonly [name: string, value: ReactNode];

export function Pairs({
  of,
  className,
}: {
  readonly of: readonly Pair[];
  readonly className?: string | undefined;
}) {
  return (
    <dl className={className}>
      {of.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
