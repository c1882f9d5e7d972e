/**
 * @file What every figure has around its drawing: title and caption, controls, the drawing or the table behind it, the
 * run it comes from, and the ways to take it along. A drawing is one picture to a screen reader, said in a sentence.
 */

import { useContext, useRef, useState, type ReactNode } from "react";
import type { Figure, Row } from "../../../figures/figure.ts";
import { countedFacts, isLeading, leadsTo, namedFacts } from "../../../figures/links.ts";
import type { FactId } from "../../../records/ids.ts";
import { Button } from "../../controls/Button.tsx";
import { ExportMenu } from "./ExportMenu.tsx";
import { FigureTable } from "./FigureTable.tsx";
import { PickedFacts } from "./PickedFacts.tsx";
import { PickingContext, type Picking } from "./picking.ts";
import { sourceText } from "./sourceText.ts";
import { useWidth } from "./useWidth.ts";
import s from "./Figure.module.css";

/** What a drawing is told. */
export interface Room {
  /** Pixels that it may fill. */
  readonly width: number;
  /** What it shows, in a sentence. */
  readonly label: string;
  /** Leads from a row to its facts; null where they are not at hand. */
  readonly pick: ((row: Row) => void) | null;
}

export interface FrameProps {
  readonly figure: Figure;
  /** What one sees, in a sentence, for those who do not. */
  readonly summary: string;
  /** Draws at a width. */
  readonly children: (room: Room) => ReactNode;
  /** Sliders and choices above the drawing. */
  readonly controls?: ReactNode;
  /** Something below the drawing that is not part of it. */
  readonly below?: ReactNode;
  /** The drawing has its own role and name, because one can do something in it. */
  readonly interactive?: boolean;
  /** Rows are missing: what would have to happen for there to be some. */
  readonly empty?: string;
  /** A click on the drawing does something else: facts are reached from the table alone. */
  readonly tablePicks?: boolean;
  /** There is no drawing: the table is the figure. */
  readonly tableOnly?: boolean;
}

export function FigureFrame({
  figure,
  summary,
  children,
  controls,
  below,
  interactive,
  empty = "There is nothing to show here yet.",
  tablePicks = false,
  tableOnly = false,
}: FrameProps) {
  const [table, setTable] = useState(tableOnly);
  const picking = useContext(PickingContext);
  const { pick, picked, close } = usePicked(figure, picking);
  const [holder, width] = useWidth();
  const drawing = useRef<HTMLDivElement>(null);
  const none = figure.rows.length === 0;
  const drawn = !table && !none;
  return (
    <figure className={s.figure} data-figure={figure.id}>
      <figcaption className={s.caption}>
        <h4 className={s.title}>{figure.title}</h4>
        <p className={s.about}>{figure.caption}</p>
      </figcaption>
      <div className={s.body}>
        {controls && drawn && <div className={s.controls}>{controls}</div>}
        <div ref={holder} className={s.holder}>
          {none && <p className={s.empty}>{empty}</p>}
          {table && !none && <FigureTable figure={figure} pick={pick} open={picking?.open ?? null} />}
          {drawn && width > 0 && (
            <div
              ref={drawing}
              className={s.drawing}
              data-drawing=""
              {...(interactive ? {} : { role: "img", "aria-label": summary })}
            >
              {children({ width, label: summary, pick })}
            </div>
          )}
        </div>
        {below && drawn && <div className={s.below}>{below}</div>}
        {pick && !none && (table || !tablePicks) && (
          <p className={s.hint}>{hintOf(figure, picking, table)}</p>
        )}
        {picked && picking && <PickedFacts {...picked} picking={picking} onClose={close} />}
        <div className={s.foot}>
          <span className={s.source}>{sourceText(figure.source)}</span>
          <span className={s.tools}>
            {!tableOnly && (
              <Button
                look="quiet"
                size="s"
                aria-pressed={table}
                aria-label={`Table of “${figure.title}”`}
                disabled={none}
                onClick={() => {
                  setTable(!table);
                }}
              >
                {table ? "Figure" : "Table"}
              </Button>
            )}
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

/** What was picked of a figure: one fact opens at once, several are listed until another row is picked. */
function usePicked(figure: Figure, picking: Picking | null) {
  const [picked, setPicked] = useState<{ readonly of: string; readonly row: Row } | null>(null);
  const before = useRef<Element | null>(null);
  const way = picking ? leadsTo(figure) : null;
  const pick =
    picking && way
      ? (row: Row): void => {
          if (!isLeading(figure, row)) return;
          const named = namedFacts(figure, row);
          // A key and its rival are named in one row: the row is about the first.
          if (named[0] !== undefined && (way === "fact" || named.length === 1))
            picking.open(named[0] as FactId);
          else {
            before.current = document.activeElement;
            setPicked({ of: figure.id, row });
          }
        }
      : null;
  const close = (): void => {
    setPicked(null);
    if (before.current instanceof HTMLElement) before.current.focus();
  };
  return {
    pick,
    close,
    picked: picking && picked?.of === figure.id ? listOf(figure, picked, picking) : null,
  };
}

function listOf(figure: Figure, pick: { readonly row: Row }, { facts }: Picking) {
  const { row } = pick;
  const named = new Set(namedFacts(figure, row));
  const found =
    named.size > 0
      ? { facts: facts.filter(({ id }) => named.has(id)), words: "compared here" }
      : countedFacts(figure, row, facts);
  return found && { ...found, pick };
}

function hintOf(figure: Figure, picking: Picking | null, table: boolean): string {
  const where = picking?.where ? " in its own notebook" : "";
  if (leadsTo(figure) === "fact")
    return table
      ? `A key opens its fact${where}.`
      : `A click opens the fact${where}; so does its key in the table.`;
  return table
    ? "The first number of a row lists its facts."
    : "A click lists the facts behind a mark; so do the rows of the table.";
}
