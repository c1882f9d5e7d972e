/** @file How to find facts: search, anchor, fidelity and documents; the layers are filtered in the overview above. */

import { useId, useMemo } from "react";
import type { FactRow } from "../../../records/notebook.ts";
import { Button } from "../../controls/Button.tsx";
import { Icon } from "../../controls/Icon.tsx";
import { Menu } from "../../controls/Menu.tsx";
import { counted } from "../../format.ts";
import { toggled } from "../../table/selection.ts";
import { Chip } from "./Chip.tsx";
import type { DocumentInfo } from "./documents.ts";
import { readFilters, saveFilters, type FactFilters, type FactView, type FidelityFilter } from "./view.ts";
import s from "./FilterBar.module.css";

/** More documents than this are chosen from a menu. */
const CHIPS = 4;
/** Anchors offered while one types. */
const OFFERED = 60;

export function FilterBar({
  view,
  onView,
  rows,
  documents,
}: {
  readonly view: FactView;
  readonly onView: (change: Partial<FactView>) => void;
  /** All facts of the memory, for the counts and the anchors that are offered. */
  readonly rows: readonly FactRow[];
  readonly documents: ReadonlyMap<string, DocumentInfo>;
}) {
  const filters = useMemo(() => readFilters(view.filters), [view.filters]);
  const change = (part: Partial<FactFilters>): void => {
    onView({ filters: saveFilters({ ...filters, ...part }) });
  };
  return (
    <div className={s.bar} role="search" aria-label="Find facts">
      <label className={s.search}>
        <span className="visually-hidden">Search the facts</span>
        <Icon name="search" size={15} />
        <input
          type="search"
          value={view.search}
          placeholder="Search facts"
          onChange={({ target }) => {
            onView({ search: target.value });
          }}
        />
      </label>
      <AnchorField
        value={filters.anchor}
        rows={rows}
        onChange={(anchor) => {
          change({ anchor });
        }}
      />
      <FidelityChips
        filter={filters.fidelity}
        rows={rows}
        onChange={(fidelity) => {
          change({ fidelity });
        }}
      />
      <DocumentChips
        chosen={filters.documents}
        rows={rows}
        documents={documents}
        onToggle={(id) => {
          change({ documents: toggled(filters.documents, id) });
        }}
      />
    </div>
  );
}

function AnchorField({
  value,
  rows,
  onChange,
}: {
  readonly value: string;
  readonly rows: readonly FactRow[];
  readonly onChange: (anchor: string) => void;
}) {
  const id = useId();
  const anchors = useMemo(() => [...new Set(rows.map(({ anchor }) => anchor))], [rows]);
  const typed = value.trim().toLowerCase();
  const offered = anchors.filter((anchor) => anchor.toLowerCase().includes(typed)).slice(0, OFFERED);
  return (
    <label className={s.anchor}>
      <span className="visually-hidden">Anchor</span>
      <input
        type="search"
        list={id}
        value={value}
        placeholder="Anchor"
        onChange={({ target }) => {
          onChange(target.value);
        }}
      />
      <datalist id={id}>
        {offered.map((anchor) => (
          <option key={anchor} value={anchor} />
        ))}
      </datalist>
    </label>
  );
}

function FidelityChips({
  filter,
  rows,
  onChange,
}: {
  readonly filter: FidelityFilter | null;
  readonly rows: readonly FactRow[];
  readonly onChange: (filter: FidelityFilter | null) => void;
}) {
  const exact = useMemo(() => rows.reduce((sum, row) => sum + Number(row.exact), 0), [rows]);
  const toggle = (next: FidelityFilter) => (): void => {
    onChange(filter?.kind === next.kind ? null : next);
  };
  return (
    <div className={s.chips} role="group" aria-label="Fidelity">
      <Chip on={filter?.kind === "exact"} onToggle={toggle({ kind: "exact" })} facts={exact}>
        exact
      </Chip>
      <Chip
        on={filter?.kind === "inexact"}
        onToggle={toggle({ kind: "inexact" })}
        facts={rows.length - exact}
      >
        inexact
      </Chip>
      <Chip
        on={filter?.kind === "range"}
        onToggle={toggle({ kind: "range", from: 0, to: 0.9 })}
        title="Facts whose token F1 lies in a range"
      >
        F1 from–to
      </Chip>
      {filter?.kind === "range" && (
        <span className={s.range}>
          <Bound
            label="Fidelity at least"
            value={filter.from}
            onChange={(from) => {
              onChange({ ...filter, from: Math.min(from, filter.to) });
            }}
          />
          –
          <Bound
            label="Fidelity at most"
            value={filter.to}
            onChange={(to) => {
              onChange({ ...filter, to: Math.max(to, filter.from) });
            }}
          />
        </span>
      )}
    </div>
  );
}

function Bound({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: number;
  readonly onChange: (value: number) => void;
}) {
  return (
    <input
      type="number"
      aria-label={label}
      className={s.bound}
      min={0}
      max={1}
      step={0.05}
      value={value}
      onChange={({ target }) => {
        const next = target.valueAsNumber;
        if (next >= 0 && next <= 1) onChange(next);
      }}
    />
  );
}

function DocumentChips({
  chosen,
  rows,
  documents,
  onToggle,
}: {
  readonly chosen: ReadonlySet<string>;
  readonly rows: readonly FactRow[];
  readonly documents: ReadonlyMap<string, DocumentInfo>;
  readonly onToggle: (id: string) => void;
}) {
  const counts = useMemo(() => {
    const found = new Map<string, number>();
    for (const { documentId } of rows) found.set(documentId, (found.get(documentId) ?? 0) + 1);
    return [...found];
  }, [rows]);
  if (counts.length < 2) return null;
  const title = (id: string): string => documents.get(id)?.title ?? id;
  if (counts.length <= CHIPS)
    return (
      <div className={s.chips} role="group" aria-label="Documents">
        {counts.map(([id, facts]) => (
          <Chip
            key={id}
            on={chosen.has(id)}
            facts={facts}
            title={title(id)}
            onToggle={() => {
              onToggle(id);
            }}
          >
            {title(id)}
          </Chip>
        ))}
      </div>
    );
  return (
    <Menu
      label="Documents"
      align="start"
      trigger={
        <Button look="quiet" size="s" icon="book">
          {chosen.size === 0
            ? counted(counts.length, "document")
            : `${chosen.size} of ${counts.length} documents`}
        </Button>
      }
      groups={[
        counts.map(([id, facts]) => ({
          label: title(id),
          note: counted(facts, "fact"),
          checked: chosen.has(id),
          onSelect: () => {
            onToggle(id);
          },
        })),
      ]}
    />
  );
}
