/**
 * @file What every figure has around its drawing: title and caption, controls, the drawing or the table behind it, the
 * run it comes from, and the ways to take it along. A drawing is one picture to a screen reader, said in a sentence.
 */

import { useContext, useRef, useState, type RefObject } from "react";
import { traitsOf, type FigureKind, type FigureOf, type RowOf } from "../../../figures/registry.ts";
import { Button } from "../../controls/Button.tsx";
import { ExportMenu } from "./ExportMenu.tsx";
import { FigureTable } from "./FigureTable.tsx";
import { PickedFacts } from "./PickedFacts.tsx";
import type { Picture, Room } from "./picture.ts";
import { PickingContext, type Picking } from "./picking.ts";
import { ProvenanceContext } from "./provenance.ts";
import { sourceText } from "./sourceText.ts";
import { usePicked } from "./usePicked.ts";
import { useWidth } from "./useWidth.ts";
import s from "./Figure.module.css";

/** Without a picture the table is the figure. */
export function FigureFrame<K extends FigureKind>({
  figure,
  picture,
}: {
  readonly figure: FigureOf<K>;
  readonly picture: Picture<RowOf<K>> | null;
}) {
  const [table, setTable] = useState(picture === null);
  const picking = useContext(PickingContext);
  const told = useContext(ProvenanceContext);
  const { pick, picked, close } = usePicked<K>(figure, picking);
  const drawing = useRef<HTMLDivElement>(null);
  const none = figure.rows.length === 0;
  const drawn = picture !== null && !table && !none;
  const { title, caption, source, kind } = figure;
  const { controls, below, tablePicks = false } = picture ?? {};
  return (
    <figure className={s.figure} data-figure={figure.id}>
      <figcaption className={s.caption}>
        <h4 className={s.title}>{title}</h4>
        <p className={s.about}>{caption}</p>
      </figcaption>
      <div className={s.body}>
        {controls && drawn && <div className={s.controls}>{controls}</div>}
        {none && (
          <p className={s.empty} data-empty="">
            {traitsOf<K>(kind).empty}
          </p>
        )}
        {table && !none && <FigureTable<K> figure={figure} pick={pick} open={picking?.open ?? null} />}
        {drawn && <Drawing picture={picture} pick={pick} drawing={drawing} />}
        {below && drawn && <div className={s.below}>{below}</div>}
        {pick && !none && (table || !tablePicks) && (
          <p className={s.hint}>{hintOf(traitsOf<K>(kind).leads === "fact", picking, table)}</p>
        )}
        {picked && picking && <PickedFacts {...picked} picking={picking} onClose={close} />}
        <div className={s.foot}>
          <span className={s.source}>{sourceText(source) === told ? "" : sourceText(source)}</span>
          <span className={s.tools}>
            {picture && <TableButton title={title} disabled={none} pressed={table} onPress={setTable} />}
            <ExportMenu
              figure={figure}
              note={typeof below === "string" ? below : ""}
              drawing={drawing}
              drawn={drawn}
            />
          </span>
        </div>
      </div>
    </figure>
  );
}

function Drawing<K extends FigureKind>({
  picture: { interactive, summary, draw },
  pick,
  drawing,
}: {
  readonly picture: Picture<RowOf<K>>;
  readonly pick: Room<RowOf<K>>["pick"];
  readonly drawing: RefObject<HTMLDivElement | null>;
}) {
  const [holder, width] = useWidth();
  return (
    <div ref={holder} className={s.holder}>
      {width > 0 && (
        <div
          ref={drawing}
          className={s.drawing}
          data-drawing=""
          {...(interactive ? {} : { role: "img", "aria-label": summary })}
        >
          {draw({ width, label: summary, pick })}
        </div>
      )}
    </div>
  );
}

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
    ? "The first number of a row lists its facts."
    : "A click lists the facts behind a mark; so do the rows of the table.";
}
