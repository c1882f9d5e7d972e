/**
 * @file What every figure has around its drawing: title and caption, controls, the drawing or the table behind it, the
 * run it comes from, and the ways to take it along. A drawing is one picture to a screen reader, said in a sentence.
 */

import { useRef, useState, type ReactNode } from "react";
import type { Figure } from "../../../figures/figure.ts";
import { Button } from "../../controls/Button.tsx";
import { ExportMenu } from "./ExportMenu.tsx";
import { FigureTable } from "./FigureTable.tsx";
import { sourceText } from "./sourceText.ts";
import { useWidth } from "./useWidth.ts";
import s from "./Figure.module.css";

/** What a drawing is told. */
export interface Room {
  /** Pixels that it may fill. */
  readonly width: number;
  /** What it shows, in a sentence. */
  readonly label: string;
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
  tableOnly = false,
}: FrameProps) {
  const [table, setTable] = useState(tableOnly);
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
      {controls && drawn && <div className={s.controls}>{controls}</div>}
      <div ref={holder} className={s.holder}>
        {none && <p className={s.empty}>{empty}</p>}
        {table && !none && <FigureTable figure={figure} />}
        {drawn && width > 0 && (
          <div
            ref={drawing}
            className={s.drawing}
            data-drawing=""
            {...(interactive ? {} : { role: "img", "aria-label": summary })}
          >
            {children({ width, label: summary })}
          </div>
        )}
      </div>
      {below && drawn && <div className={s.below}>{below}</div>}
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
    </figure>
  );
}
