/** @file A line that opens to more: detail is one click away and takes no room before. In print it is open. */

import { Collapsible } from "radix-ui";
import type { ReactNode } from "react";
import { usePrinting, Text, Icon } from "./basics.tsx";
import s from "./Disclosure.module.css";

interface DisclosureProps extends Collapsible.CollapsibleProps {
  readonly summary: ReactNode;
  readonly note?: ReactNode;
  readonly aside?: ReactNode;
}

export function Disclosure({ summary, note, aside, children, ...state }: DisclosureProps) {
  const head = note ? (
    <>
      {summary}{" "}
      <Text tone="soft" size="s" style={{ marginLeft: "0.6em" }}>
        {note}
      </Text>
    </>
  ) : (
    summary
  );
  if (usePrinting())
    return (
      <details open>
        <summary>
          {head} {aside && <Text size="s">{aside}</Text>}
        </summary>
        <div className={s.content}>{children}</div>
      </details>
    );
  return (
    <Collapsible.Root className={s.root} {...state}>
      <Collapsible.Trigger className={s.trigger}>
        <span className={s.mark}>
          <Icon name="right" size={14} />
        </span>
        <Text shrinks style={{ flex: "1 1 10rem" }}>
          {head}
        </Text>
        {aside && <Text size="s">{aside}</Text>}
      </Collapsible.Trigger>
      <Collapsible.Content className={s.content}>{children}</Collapsible.Content>
    </Collapsible.Root>
  );
}
