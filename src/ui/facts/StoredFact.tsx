/** @file A stored fact in words: those that the memory keeps, or those that the model says of it now. */

import type { FactRow } from "../../records/notebook.ts";
import { Recalled } from "./Recalled.tsx";
import { usePrinting } from "../controls/printing.ts";
import { useStored } from "./useStored.ts";
import { Text } from "../controls/layout.tsx";

type Row = Pick<FactRow, "id" | "value" | "recalled" | "exact">;

/** With the difference to what was stored where that is known. `room` as in {@link Recalled}. */
export function StoredFact({ row, room }: { readonly row: Row; readonly room?: number }) {
  const { value, recalled, exact } = row;
  if (value === null) return <Said id={row.id} />;
  return <Recalled stored={value} said={recalled} exact={exact} {...(room === undefined ? {} : { room })} />;
}

/** The value alone. */
export const Stored = ({ fact: { id, value } }: { readonly fact: Pick<FactRow, "id" | "value"> }) =>
  value ?? <Said id={id} />;

/** What the model says of a fact that is kept without words; on paper, that it is. */
export const Said = ({ id }: Pick<FactRow, "id">) =>
  usePrinting() ? (
    <Text tone="soft" font="sans" size="s">
      {UNPRINTED}
    </Text>
  ) : (
    <SaidNow id={id} />
  );

function SaidNow({ id }: Pick<FactRow, "id">) {
  const text = useStored({ id, value: null });
  return text === null ? (
    <Text tone="soft" font="sans" size="s">
      {UNSAID}
    </Text>
  ) : (
    <Text font="serif" anywhere>
      {text}
    </Text>
  );
}

const UNSAID = "kept without words; open the model, and it says them";
/** What stands on paper for words that no notebook has. */
export const UNPRINTED = "kept without words";
