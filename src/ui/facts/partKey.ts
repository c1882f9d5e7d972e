/** @file The column that names the parts of a fact by their recall keys. */

import { keyText, type FactKey } from "../../records/fact.ts";
import type { Column } from "../table/column.ts";

/** κ of each part of `fact`. */
export const partKey = <Part extends { readonly part: number }>({
  anchor,
  index,
}: FactKey): Column<Part> => ({
  id: "key",
  label: "Key κ",
  look: "key",
  names: true,
  cell: ({ part }) => keyText({ anchor, index, part }),
});
