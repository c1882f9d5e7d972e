/** @file The first items of a long list, and a button for more. */

import { useState, type ReactNode } from "react";
import { Button } from "../controls/Button.tsx";
import { usePrinting } from "../controls/printing.ts";

export interface FirstOfProps<Item> {
  readonly items: readonly Item[];
  readonly first: number;
  /** Items added per press; all without it. */
  readonly step?: number;
  readonly more: (shown: number, rest: number) => ReactNode;
  /** In print there is no button: the number of items, and a note on the rest. */
  readonly print?: { readonly first: number; readonly rest: ReactNode };
  readonly children: (shown: readonly Item[]) => ReactNode;
}

export function FirstOf<Item>({ items, first, step = Infinity, more, print, children }: FirstOfProps<Item>) {
  const [limit, setLimit] = useState(first);
  const printing = usePrinting();
  const most = printing ? (print?.first ?? Infinity) : limit;
  const rest = items.length - most;
  return (
    <>
      {children(rest > 0 ? items.slice(0, most) : items)}
      {rest > 0 && printing && <p className="soft">{print?.rest}</p>}
      {rest > 0 && !printing && (
        <div>
          <Button look="quiet" size="s" onClick={() => setLimit(limit + step)}>
            {more(limit, rest)}
          </Button>
        </div>
      )}
    </>
  );
}
