/**
 * @file The frame of every figure: title and caption, controls, the drawing or its table, the run it comes from, and the
 * menu of exports. To a screen reader a drawing is one picture, named by its summary.
 */

import { useContext, useRef, useState, type ReactNode, type RefObject } from "react";
import { isLeading, readableColumns } from "../../../figures/links.ts";
import { traitsOf, type FigureKind, type FigureOf, type RowOf } from "../../../figures/registry.ts";
import type { FactId } from "../../../records/ids.ts";
import { Button } from "../../controls/Button.tsx";
import { Note, Row, Text } from "../../controls/layout.tsx";
import { count, counted } from "../../format.ts";
import type { Column } from "../../table/column.ts";
import { Table } from "../../table/Table.tsx";
import { useWidth } from "../../table/useWidth.ts";
import { PickingContext, ProvenanceContext, type Picking } from "./context.ts";
import { ExportMenu } from "./ExportMenu.tsx";
import { PickedFacts, usePicked } from "./PickedFacts.tsx";
import type { Picture, Room } from "./picture.ts";
import { axisText, cellText, sourceText } from "./text.ts";
import s from "../charts.module.css";

/** A figure; without a picture, its table. */
export function FigureFrame<K extends FigureKind>({
  figure,
  picture,
}: {
  readonly figure: FigureOf<K>;
  readonly picture: Picture<RowOf<K>> | null;
}) {
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
        {none && (
          <Text as="p" tone="soft" size="s" data-empty="">
            {traitsOf<K>(kind).empty}
          </Text>
        )}
        {table && !none && <FigureTable<K> figure={figure} pick={pick} open={picking?.open} />}
        {drawn && <Drawing picture={picture} pick={pick} drawing={drawing} />}
        {below && drawn && <Note>{below}</Note>}
        {pick && !none && (table || !tablePicks) && (
          <Text as="p" tone="soft" size="xs">
            {hintOf(traitsOf<K>(kind).leads === "fact", picking, table)}
          </Text>
        )}
        {picked && picking && <PickedFacts {...picked} picking={picking} onClose={close} />}
        <Row wrap align="baseline" justify="between" gap="0 1rem">
          <Text tone="soft" size="xs" flex="grow">
            {sourceText(source) === named ? "" : sourceText(source)}
          </Text>
          <Row as="span">
            {picture && <TableButton title={title} disabled={none} pressed={table} onPress={setTable} />}
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

/** Rows of the table at first, and more per press. */
const [PART, STEP] = [100, 1000];

function FigureTable<K extends FigureKind>({
  figure,
  pick,
  open,
}: {
  readonly figure: FigureOf<K>;
  readonly pick: ((row: RowOf<K>) => void) | null;
  readonly open: ((id: FactId) => void) | undefined;
}) {
  const { title, rows, kind } = figure;
  const lists = traitsOf<K>(kind).leads === "list" ? pick : null;
  const columns = readableColumns(figure).map((column, i): Column<RowOf<K>> => ({
    id: column.name,
    label: axisText(column),
    ...(column.type === "number" ? { look: "number" } : {}),
    cell: (row) => {
      const text = cellText(column, row);
      const id = column.fact === undefined ? null : (row as Record<string, unknown>)[column.fact];
      if (typeof id === "string" && open)
        return <CellButton text={text} does="open this fact" onPress={() => open(id as FactId)} />;
      if (lists && i === 0 && isLeading<K>(figure, row))
        return <CellButton text={text} does="list its facts" onPress={() => lists(row)} />;
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

const CellButton = ({
  text,
  does,
  onPress,
}: {
  readonly text: string;
  readonly does: string;
  readonly onPress: () => void;
}): ReactNode => (
  <button type="button" className={s.link} aria-label={`${text}: ${does}`} onClick={onPress}>
    {text}
  </button>
);

function TableButton({
  title,
  disabled,
  pressed,
  onPress,
}: {
  readonly title: string;
  readonly disabled: boolean;
  readonly pressed: boolean;
  readonly onPress: (pressed: boolean) => void;
}) {
  return (
    <Button
      look="quiet"
      size="s"
      aria-pressed={pressed}
      aria-label={`Table of “${title}”`}
      disabled={disabled}
      onClick={() => onPress(!pressed)}
    >
      {pressed ? "Figure" : "Table"}
    </Button>
  );
}

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
