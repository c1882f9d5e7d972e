/** @file One line between filters and table: how much is shown, or what can be done with what is selected. */

import type { ReactNode } from "react";
import type { FactId } from "../../../records/ids.ts";
import type { FactRow } from "../../../records/notebook.ts";
import { Button } from "../../controls/Button.tsx";
import { CopyButton } from "../../controls/CopyButton.tsx";
import { Menu } from "../../controls/Menu.tsx";
import { count, counted } from "../../format.ts";
import { deletionChoices } from "./deletions.ts";
import type { DocumentInfo } from "./documents.ts";
import { factsCsv } from "./exportFacts.ts";
import s from "./SelectionBar.module.css";

export interface SelectionBarProps {
  readonly all: readonly FactRow[];
  readonly shown: number;
  readonly filtered: boolean;
  readonly selected: readonly FactRow[];
  readonly documents: ReadonlyMap<string, DocumentInfo>;
  /** Why nothing can be changed now; null when it can. */
  readonly readOnly: string | null;
  readonly onClearFilters: () => void;
  readonly onSelectShown: () => void;
  readonly onSelectNone: () => void;
  readonly onDelete: (ids: readonly FactId[]) => void;
  readonly onReencode: (ids: readonly FactId[]) => void;
  /** Columns, export and import, at the right end. */
  readonly tools: ReactNode;
}

export function SelectionBar(props: SelectionBarProps) {
  const { all, shown, filtered, selected } = props;
  return (
    <div className={s.bar}>
      <p className={s.words} role="status">
        {selected.length > 0
          ? `${count(selected.length)} selected`
          : filtered
            ? `${count(shown)} of ${counted(all.length, "fact")}`
            : `All ${counted(all.length, "fact")}`}
      </p>
      {selected.length > 0 ? (
        <SelectedTools {...props} />
      ) : (
        <>
          {filtered && (
            <Button look="quiet" size="s" onClick={props.onClearFilters}>
              Clear filters
            </Button>
          )}
          {shown > 0 && (
            <Button look="quiet" size="s" onClick={props.onSelectShown}>
              {filtered ? `Select these ${count(shown)}` : "Select all"}
            </Button>
          )}
        </>
      )}
      <span className={s.tools}>{props.tools}</span>
    </div>
  );
}

function SelectedTools({
  all,
  selected,
  documents,
  readOnly,
  onSelectNone,
  onDelete,
  onReencode,
}: SelectionBarProps) {
  const choices = deletionChoices(selected, all, (id) => documents.get(id)?.title ?? id);
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
        groups={[
          choices.map(({ label, note, ids }) => ({
            label,
            note,
            danger: true,
            onSelect: () => {
              onDelete(ids);
            },
          })),
        ]}
      />
      <Button
        look="quiet"
        size="s"
        icon="retry"
        {...blocked}
        onClick={() => {
          onReencode(selected.map(({ id }) => id));
        }}
      >
        Encode again
      </Button>
      <CopyButton text={() => factsCsv(selected)} label="Copy CSV" />
      <Button look="quiet" size="s" onClick={onSelectNone}>
        Select none
      </Button>
    </>
  );
}
