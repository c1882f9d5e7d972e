/** @file How to find facts: search, anchor, fidelity and documents; the layers are filtered in the overview above. */

import { useId, useMemo, type ReactNode } from "react";
import { Button, Icon } from "../../controls/basics.tsx";
import { Menu } from "../../controls/Menu.tsx";
import { count, counted } from "../../format.ts";
import { toggled } from "../../table/selection.ts";
import type { FactsShown } from "./useFacts.ts";
import { groupBy } from "../../../lib/group.ts";
import type { FidelityFilter } from "../../../records/notebook.ts";
import { Row, Text } from "../../controls/layout.tsx";
import s from "./FilterBar.module.css";

/** More documents than this are chosen from a menu. */
const CHIPS = 4;
const OFFERED = 60;

export function FilterBar({ facts }: { readonly facts: FactsShown }) {
  const { view, onView } = facts;
  return (
    <Row wrap align="center" gap="0.35rem 1rem" role="search" aria-label="Find facts">
      <label className={s.search}>
        <span className="visually-hidden">Search the facts</span>
        <Icon name="search" size={15} />
        <input
          type="search"
          value={view.search}
          placeholder="Search facts"
          onChange={({ target }) => onView({ search: target.value })}
        />
      </label>
      <AnchorField {...facts} />
      <FidelityChips {...facts} />
      <Documents {...facts} />
    </Row>
  );
}

function AnchorField({ rows, filters: { anchor = "" }, onFilters }: FactsShown) {
  const id = useId();
  const anchors = useMemo(() => [...new Set(rows.map((row) => row.anchor))], [rows]);
  const typed = anchor.trim().toLowerCase();
  const offered = anchors.filter((one) => one.toLowerCase().includes(typed)).slice(0, OFFERED);
  return (
    <label className={s.anchor}>
      <span className="visually-hidden">Anchor</span>
      <input
        type="search"
        list={id}
        value={anchor}
        placeholder="Anchor"
        onChange={({ target }) => onFilters({ anchor: target.value })}
      />
      <datalist id={id}>
        {offered.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </label>
  );
}

const isRange = (filter: FidelityFilter | undefined): filter is readonly [number, number] =>
  Array.isArray(filter);

function FidelityChips({ rows, filters: { fidelity: filter }, onFilters }: FactsShown) {
  const exact = useMemo(() => rows.reduce((sum, row) => sum + Number(row.exact), 0), [rows]);
  const chip = (next: FidelityFilter, on: boolean, words: string, facts?: number): ReactNode => (
    <Chip on={on} facts={facts} onToggle={() => onFilters({ fidelity: on ? undefined : next })}>
      {words}
    </Chip>
  );
  return (
    <Row wrap align="center" gap="0.1rem 0.9rem" role="group" aria-label="Fidelity">
      {chip("exact", filter === "exact", "exact", exact)}
      {chip("inexact", filter === "inexact", "inexact", rows.length - exact)}
      {chip([0, 0.9], isRange(filter), "F1 range")}
      {isRange(filter) && (
        <Row as="span" align="center" gap="0.3rem" tone="soft" inline>
          {bound("Fidelity at least", filter[0], (from) =>
            onFilters({ fidelity: [Math.min(from, filter[1]), filter[1]] }),
          )}
          –
          {bound("Fidelity at most", filter[1], (to) =>
            onFilters({ fidelity: [filter[0], Math.max(to, filter[0])] }),
          )}
        </Row>
      )}
    </Row>
  );
}

const bound = (label: string, value: number, onChange: (value: number) => void): ReactNode => (
  <input
    type="number"
    aria-label={label}
    className={s.bound}
    min={0}
    max={1}
    step={0.05}
    value={value}
    onChange={({ target: { valueAsNumber: next } }) => next >= 0 && next <= 1 && onChange(next)}
  />
);

function Documents({ rows, documents, filters, onFilters }: FactsShown) {
  const chosen = new Set(filters.documents);
  const counts = useMemo(() => [...groupBy(rows, ({ documentId }) => documentId)], [rows]);
  const choices = counts.map(([id, { length: facts }]) => ({
    id,
    facts,
    title: documents.get(id)?.title ?? id,
    on: chosen.has(id),
    onToggle: () => onFilters({ documents: [...toggled(chosen, id)] }),
  }));
  if (counts.length < 2) return null;
  if (counts.length <= CHIPS)
    return (
      <Row wrap align="center" gap="0.1rem 0.9rem" role="group" aria-label="Documents">
        {choices.map(({ id, title, ...chip }) => (
          <Chip key={id} {...chip}>
            {title}
          </Chip>
        ))}
      </Row>
    );
  const all = counted(counts.length, "document");
  return (
    <Menu
      label="Documents"
      align="start"
      trigger={
        <Button look="quiet" size="s" icon="book">
          {chosen.size === 0 ? all : `${chosen.size} of ${all}`}
        </Button>
      }
      groups={[
        choices.map(({ title, facts, on, onToggle }) => ({
          label: title,
          note: counted(facts, "fact"),
          checked: on,
          onSelect: onToggle,
        })),
      ]}
    />
  );
}

interface ChipProps {
  readonly on: boolean;
  readonly onToggle: () => void;
  readonly children: ReactNode;
  readonly facts?: number | undefined;
}

function Chip({ on, onToggle, children, facts }: ChipProps) {
  return (
    <button type="button" className={s.chip} aria-pressed={on} onClick={onToggle}>
      <span className={s.word}>{children}</span>
      {facts !== undefined && (
        <Text font="mono" numeric style={{ fontSize: "0.92em" }}>
          {count(facts)}
        </Text>
      )}
    </button>
  );
}
