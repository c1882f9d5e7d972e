/** @file The frame of every figure: title and caption, controls, drawing or table, source, exports, and the facts of a mark. */

import { useContext, useRef, useState, type ReactNode, type RefObject, useEffect } from "react";
import {
  countedFacts,
  isLeading,
  namedFacts,
  readableColumns,
  traitsOf,
  type FigureKind,
  type FigureOf,
  type RowOf,
} from "../../../figures/registry.ts";
import type { FactId } from "../../../records/ids.ts";
import { Button, IconButton, Note, Row, Text, Stack, useWidth } from "../../controls/basics.tsx";
import { count, counted } from "../../format.ts";
import { type Column, Table, FirstOf } from "../../table/Table.tsx";
import { PickingContext, ProvenanceContext, type Picking, type Picture, type Room } from "./picture.tsx";
import { cellText, figureColumn, sourceText, numberText } from "./text.ts";
import { toldOf } from "../../../lib/format.ts";
import { toCsv, toJson, toPython, type Figure } from "../../../figures/figure.ts";
import { Menu, type MenuItem } from "../../controls/Dialog.tsx";
import { copyLink, copyText, linkTo, saveFile, toast } from "../../controls/page.ts";
import { drawingAsPng, drawingAsSvg } from "./exportSvg.ts";
import { useApp } from "../../app.tsx";
import { keyText } from "../../../records/fact.ts";
import type { FactRow } from "../../../records/notebook.ts";
import s from "../charts.module.css";

export function FigureFrame<K extends FigureKind>({
  figure,
  picture,
}: Readonly<{ figure: FigureOf<K>; picture: Picture<RowOf<K>> | null }>) {
  const [table, setTable] = useState(picture === null);
  const picking = useContext(PickingContext);
  const named = useContext(ProvenanceContext);
  const { pick, picked, close } = usePicked<K>(figure, picking);
  const drawing = useRef<HTMLDivElement>(null);
  const none = figure.rows.length === 0;
  const drawn = picture !== null && !table && !none;
  const { title, caption, source, kind } = figure;
  const { controls, below, tablePicks = false } = picture ?? {};
  return (
    <figure className={s.figure} data-figure={figure.id}>
      <figcaption>
        <h4 className={s.title}>{title}</h4>
        <Note measure>{caption}</Note>
      </figcaption>
      <div className={s.body}>
        {controls && drawn && (
          <Row wrap align="end" gap="0.5rem 1.75rem">
            {controls}
          </Row>
        )}
        {none && <Note data-empty="">{traitsOf<K>(kind).empty}</Note>}
        {table && !none && <FigureTable<K> figure={figure} pick={pick} open={picking?.open} />}
        {drawn && <Drawing picture={picture} pick={pick} drawing={drawing} />}
        {below && drawn && <Note>{below}</Note>}
        {pick && !none && (table || !tablePicks) && (
          <Note>{hintOf(traitsOf<K>(kind).leads === "fact", picking, table)}</Note>
        )}
        {picked && picking && <PickedFacts {...picked} picking={picking} onClose={close} />}
        <Row wrap align="baseline" justify="between" gap="0 1rem">
          <Text tone="soft" size="s" flex="grow">
            {sourceText(source) === named ? "" : sourceText(source)}
          </Text>
          <Row as="span">
            {picture && (
              <Button
                look="quiet"
                size="s"
                label={table ? "Figure" : "Table"}
                aria-pressed={table}
                aria-label={`Table of “${title}”`}
                disabled={none}
                onClick={() => setTable(!table)}
              />
            )}
            <ExportMenu figure={figure} note={below ?? ""} drawing={drawing} drawn={drawn} />
          </Row>
        </Row>
      </div>
    </figure>
  );
}

function Drawing<K extends FigureKind>({
  picture: { still, summary, draw },
  pick,
  drawing,
}: {
  readonly picture: Picture<RowOf<K>>;
  readonly pick: Room<RowOf<K>>["pick"];
  readonly drawing: RefObject<HTMLDivElement | null>;
}) {
  const holder = useRef<HTMLDivElement>(null);
  const width = useWidth(holder, 0);
  return (
    <div ref={holder}>
      {width > 0 && (
        <div
          ref={drawing}
          className={s.drawing}
          style={{ position: "relative" }}
          data-drawing=""
          {...(still ? { role: "img", "aria-label": summary } : {})}
        >
          {draw({ width, label: summary, pick })}
        </div>
      )}
    </div>
  );
}

const [PART, STEP] = [100, 1000];

function FigureTable<K extends FigureKind>(props: {
  readonly figure: FigureOf<K>;
  readonly pick: ((row: RowOf<K>) => void) | null;
  readonly open: ((id: FactId) => void) | undefined;
}) {
  const { figure, pick, open } = props;
  const { title, rows, kind } = figure;
  const lists = traitsOf<K>(kind).leads === "list" ? pick : null;
  const columns = readableColumns(figure).map((column, i): Column<RowOf<K>> => ({
    ...figureColumn(column),
    cell: (row) => {
      const text = cellText(column, row);
      const id = column.fact === undefined ? null : (row as Record<string, unknown>)[column.fact];
      if (typeof id === "string" && open) return cellButton(text, "open this fact", () => open(id as FactId));
      if (lists && i === 0 && isLeading<K>(figure, row))
        return cellButton(text, "list its facts", () => lists(row));
      return text;
    },
  }));
  return (
    <div className={s.tableBox} tabIndex={0} role="region" aria-label={`Data of “${title}”`}>
      <Table
        caption={title}
        className={s.table}
        columns={columns}
        rows={rows}
        limit={{
          ...{ first: PART, step: STEP },
          more: (shown) => `${count(shown)} of ${counted(rows.length, "row")}; show more`,
        }}
      />
    </div>
  );
}

const cellButton = (text: string, does: string, onPress: () => void): ReactNode => (
  <button type="button" className={s.link} aria-label={`${text}: ${does}`} onClick={onPress}>
    {text}
  </button>
);

function hintOf(single: boolean, picking: Picking | null, table: boolean): string {
  const where = picking?.where ? " in its own notebook" : "";
  if (single)
    return table
      ? `A key opens its fact${where}.`
      : `A click opens the fact${where}; so does its key in the table.`;
  return table
    ? "The first cell of a row lists its facts."
    : "A click on a mark lists its facts; so do the rows of the table.";
}

type Make = () => BlobPart | Promise<BlobPart>;

/** `drawing` holds what is drawn; while the table is shown instead, only data can be had. */
function ExportMenu(
  props: Readonly<{ figure: Figure; note: string; drawing: RefObject<HTMLElement | null>; drawn: boolean }>,
) {
  const { figure, note, drawing, drawn } = props;
  const captioned = { ...figure, caption: [figure.caption, note].filter(Boolean).join(" ") };
  const save = async (extension: string, type: string, make: Make) => {
    try {
      saveFile(`${figure.id}.${extension}`, await make(), type);
    } catch (error) {
      toast.failed(`The figure could not be exported: ${toldOf(error)}`);
    }
  };
  const item = (label: string, about: string, type: string, make: Make, ready = true): MenuItem => ({
    ...{ label, note: ready ? about : "show the figure first", disabled: !ready },
    onSelect: () => void save(label.toLowerCase(), type, make),
  });
  const svg = (): string => drawingAsSvg(drawing.current!, captioned);
  const png = (): Promise<Blob> => drawingAsPng(drawing.current!, captioned);
  const place = useRef<HTMLButtonElement>(null);
  return (
    <Menu
      label={`Export “${figure.title}”`}
      trigger={
        <Button ref={place} look="quiet" size="s" icon="download" aria-label={`Export “${figure.title}”`}>
          Export
        </Button>
      }
      groups={[
        [
          item("SVG", "scales, for papers", "image/svg+xml", svg, drawn),
          item("PNG", "at twice the size", "image/png", png, drawn),
        ],
        [
          item("CSV", "the data, for spreadsheets", "text/csv", () => toCsv(figure)),
          item("JSON", "the data with title, units and run", "application/json", () => toJson(figure)),
        ],
        [
          { label: "Copy as Python", note: "its numbers as lists", onSelect: () => void copyPython(figure) },
          {
            label: "Copy link",
            icon: "link",
            onSelect: () => void copyLink(linkOf(figure, place.current), "figure"),
          },
        ],
      ]}
    />
  );
}

const copyPython = (figure: Figure): Promise<void> =>
  copyText(toPython(figure), "The figure’s numbers are copied as Python.");

/** Outside cells, the address itself names what is shown: a fact, or the page about the paper. */
function linkOf(figure: Figure, element: HTMLElement | null): string {
  const cell = element?.closest("[data-cell]");
  const notebook = document.querySelector<HTMLElement>("[data-notebook]")?.dataset["notebook"];
  return notebook === undefined
    ? location.href
    : linkTo(notebook, cell ? `${cell.id}/${figure.id}` : location.hash);
}

/** `pick` is null if the figure's rows lead nowhere, or the facts are not at hand. */
function usePicked<K extends FigureKind>(figure: FigureOf<K>, picking: Picking | null) {
  const [chosen, setChosen] = useState<{ readonly of: string; readonly row: RowOf<K> } | null>(null);
  const before = useRef<Element | null>(null);
  const { leads } = traitsOf<K>(figure.kind);
  const pick = (row: RowOf<K>): void => {
    if (!isLeading<K>(figure, row)) return;
    const [first, ...others] = namedFacts(figure, row);
    // A row that names a key and its rival is about the first.
    if (first !== undefined && (leads === "fact" || others.length === 0)) picking?.open(first as FactId);
    else {
      before.current = document.activeElement;
      setChosen({ of: figure.id, row });
    }
  };
  const close = (): void => {
    setChosen(null);
    if (before.current instanceof HTMLElement) before.current.focus();
  };
  return {
    pick: picking && leads !== null ? pick : null,
    close,
    picked: picking && chosen?.of === figure.id ? listOf<K>(figure, chosen, picking) : null,
  };
}

function listOf<K extends FigureKind>(
  figure: FigureOf<K>,
  pick: { readonly row: RowOf<K> },
  { facts }: Picking,
) {
  const named = new Set(namedFacts(figure, pick.row));
  const found =
    named.size > 0
      ? { facts: facts.filter(({ id }) => named.has(id)), words: "compared here" }
      : countedFacts<K, FactRow>(figure, pick.row, facts);
  return found && { ...found, pick };
}

const LISTED = 24;

interface PickedFactsProps {
  readonly facts: readonly FactRow[];
  readonly words: string;
  /** A new object for every choice: the list then takes the focus. */
  readonly pick: object;
  readonly picking: Picking;
  readonly onClose: () => void;
}

function PickedFacts({ facts, words, pick, picking, onClose }: PickedFactsProps) {
  const region = useRef<HTMLElement>(null);
  const title = `${counted(facts.length, "fact")} ${words}`.trim();
  const said = useApp(({ memory }) => memory.said);
  useEffect(() => {
    region.current?.focus({ preventScroll: true });
    region.current?.scrollIntoView({ block: "nearest" });
  }, [pick]);
  return (
    <section
      ref={region}
      className={s.picked}
      aria-label={title}
      tabIndex={-1}
      data-picked=""
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onClose();
      }}
    >
      <Row wrap align="baseline" gap="0 0.75rem">
        <strong>{title}</strong>
        <Text tone="soft" flex="grow">
          {picking.where && `They open in “${picking.where}”.`}
        </Text>
        <IconButton icon="close" size="s" label="Close the list" keys="Esc" onClick={onClose} />
      </Row>
      <FirstOf
        key={title}
        items={facts}
        first={LISTED}
        step={4 * LISTED}
        more={(shown) => `${count(shown)} of ${count(facts.length)}; show more`}
      >
        {(shown) => (
          <Stack as="ul" plainList className={s.list}>
            {shown.map((fact) => (
              <li key={fact.id}>
                <Row
                  as="button"
                  type="button"
                  wrap
                  gap="0 0.75rem"
                  align="baseline"
                  className={s.fact}
                  onClick={() => picking.open(fact.id)}
                >
                  <Text tone="lapis">{keyText(fact)}</Text>
                  <Text font="serif" flex="grow">
                    {said.get(fact.id)}
                  </Text>
                  {!fact.exact && <Text tone="soft">F1 {numberText(fact.fidelity)}</Text>}
                </Row>
              </li>
            ))}
          </Stack>
        )}
      </FirstOf>
    </section>
  );
}
