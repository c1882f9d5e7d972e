/** @file A tooltip on hover and focus; never the only place where something is said. */

import { Tooltip as Radix } from "radix-ui";
import type { ReactNode } from "react";
import s from "./Tooltip.module.css";

export function TooltipProvider({ children }: { readonly children: ReactNode }) {
  return <Radix.Provider delayDuration={450}>{children}</Radix.Provider>;
}

export function Tooltip({
  text,
  keys,
  children,
}: {
  readonly text: ReactNode;
  readonly keys?: string;
  readonly children: ReactNode;
}) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className={s.tip} sideOffset={6} collisionPadding={8}>
          {text}
          {keys && <kbd className={s.keys}>{keys}</kbd>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
