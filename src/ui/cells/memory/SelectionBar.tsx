/** @file One line between filters and table: how much is shown, or what can be done with what is selected. */

import type { ReactNode } from "react";
import { Button } from "../../controls/Button.tsx";
import { CopyButton } from "../../controls/CopyButton.tsx";
import { Menu } from "../../controls/Menu.tsx";
import { count, counted } from "../../format.ts";
import { selectAll, selectNone } from "../../table/selection.ts";
import { deletionChoices } from "../../facts/deletions.ts";
import { factsCsv } from "./exportFacts.ts";
import type { FactsShown } from "./useFacts.ts";
import { Row, Text } from "../../controls/layout.tsx";

export function SelectionBar({
  facts,
  children,
}: {
  readonly facts: FactsShown;
  /** Columns, export and import, at the right end. */
  readonly children: ReactNode;
}) {
  const { rows, shown, filtered, selected } = facts;
  const all = counted(rows.length, "fact");
  const words = filtered ? `${count(shown.length)} of ${all}` : `All ${all}`;
  return (
    <Row wrap align="center" gap="0.25rem 0.5rem" style={{ minHeight: "2rem" }}>
      <Text as="p" tone="soft" size="s" numeric style={{ marginRight: "0.25rem" }} role="status">
        {selected.length > 0 ? `${count(selected.length)} selected` : words}
      </Text>
      {selected.length > 0 ? <SelectedTools {...facts} /> : <ShownTools {...facts} />}
      <Row as="span" gap="0.25rem" flex="end" inline>
        {children}
      </Row>
    </Row>
  );
}

function ShownTools({ shown, filtered, onView, onSelection }: FactsShown) {
  const ids = (): FactsShown["shown"][number]["id"][] => shown.map(({ id }) => id);
  return (
    <>
      {filtered && (
        <Button look="quiet" size="s" onClick={() => onView({ search: "", filters: {} })}>
          Clear filters
        </Button>
      )}
      {shown.length > 0 && (
        <Button look="quiet" size="s" onClick={() => onSelection((before) => selectAll(before, ids()))}>
          {filtered ? `Select these ${count(shown.length)}` : "Select all"}
        </Button>
      )}
    </>
  );
}

function SelectedTools({ rows, selected, documents, readOnly, onSelection, remove, reencode }: FactsShown) {
  const choices = deletionChoices(selected, rows, (id) => documents.get(id)?.title ?? id);
  const blocked = readOnly === null ? {} : { disabled: true, title: readOnly };
  return (
    <>
      <Menu
        label="Delete"
        align="start"
        trigger={
          <Button look="danger" size="s" icon="trash" {...blocked}>
            Delete
          </Button>
        }
        groups={[choices.map(({ ids, ...said }) => ({ ...said, danger: true, onSelect: () => remove(ids) }))]}
      />
      <Button
        look="quiet"
        size="s"
        icon="retry"
        {...blocked}
        onClick={() => void reencode(selected.map(({ id }) => id))}
      >
        Encode again
      </Button>
      <CopyButton text={() => factsCsv(selected)} label="Copy CSV" />
      <Button look="quiet" size="s" onClick={() => onSelection(selectNone)}>
        Select none
      </Button>
    </>
  );
}
