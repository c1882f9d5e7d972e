/** @file Steps from fact to fact in the drawer's head: previous, next, and where one is. */

import type { FactId } from "../../../records/ids.ts";
import { useActions } from "../../app.tsx";
import { IconButton } from "../../controls/Button.tsx";
import { count } from "../../format.ts";
import { stepped } from "./order.ts";
import { useFactOrder } from "./useFact.ts";
import { Row, Text } from "../../controls/layout.tsx";

export function FactNav({ target: { id } }: { readonly target: { readonly id: FactId } }) {
  const { inspect } = useActions();
  const ids = useFactOrder(id);
  const at = ids.indexOf(id);
  const go = (by: number) => () => {
    const next = stepped(ids, id, by);
    if (next) inspect({ kind: "fact", id: next });
  };
  return (
    <Row as="span" align="center" gap="0.1rem" inline>
      {at >= 0 && (
        <Text tone="soft" size="s" whiteSpace="nowrap" style={{ marginRight: "0.35rem" }}>
          <span className="num">{count(at + 1)}</span> of <span className="num">{count(ids.length)}</span>
        </Text>
      )}
      <IconButton
        icon="up"
        size="s"
        label="Previous fact"
        keys="K"
        aria-disabled={at <= 0}
        onClick={go(-1)}
      />
      <IconButton
        icon="down"
        size="s"
        label="Next fact"
        keys="J"
        aria-disabled={at < 0 || at === ids.length - 1}
        onClick={go(1)}
      />
    </Row>
  );
}
