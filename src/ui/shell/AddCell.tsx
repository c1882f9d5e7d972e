/** @file A place between two cells where one can be added; quiet until it is wanted. */

import { CELL_KINDS, KINDS } from "../../notebook/kinds.ts";
import { useActions } from "../app.tsx";
import { CELL_TYPES } from "../cells/registry.ts";
import { Button } from "../controls/Button.tsx";
import { Menu } from "../controls/Menu.tsx";
import { cx } from "../cx.ts";
import { goToCell } from "./goToCell.ts";
import { Row } from "../controls/layout.tsx";
import s from "./AddCell.module.css";

/** Adds at `index`; `always`: visible without hovering, as after the last cell. */
export function AddCell({ index, always }: { readonly index: number; readonly always?: boolean }) {
  const { addCell } = useActions();
  const items = CELL_KINDS.map((kind) => {
    const { blurb, icon } = CELL_TYPES[kind];
    const onSelect = (): void => {
      const id = addCell(kind, index);
      // An empty note takes the focus into its editor.
      if (id) goToCell(id, { focus: kind !== "note" });
    };
    return { label: KINDS[kind].name, note: blurb, icon, takesFocus: true, onSelect };
  });
  return (
    <Row align="center" className={cx(s.add, always && s.always)} data-add-at={index}>
      <Menu
        label="Add a cell"
        align="start"
        groups={[items]}
        trigger={
          <Button
            look="quiet"
            size="s"
            icon="plus"
            aria-label={always ? undefined : `Add a cell at place ${index + 1}`}
          >
            {always ? "Add a cell" : null}
          </Button>
        }
      />
    </Row>
  );
}
