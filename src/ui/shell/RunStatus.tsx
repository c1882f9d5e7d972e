/** @file What runs now, in sight wherever the page stands, with a way to its cell; and in the title of the tab. */

import { useEffect } from "react";
import { cellTitle } from "../../notebook/kinds.ts";
import { currentOf, useActions, useApp } from "../app.tsx";
import { shareDone, spoken } from "../cells/frame/runWords.ts";
import { Button } from "../controls/Button.tsx";
import { percent } from "../format.ts";
import { goToCell } from "../controls/goToCell.ts";
import { useGoing, type GoingRun } from "./useGoing.ts";
import { Row } from "../controls/layout.tsx";
import s from "./RunStatus.module.css";

export function RunStatus() {
  const going = useGoing();
  const { openNotebook } = useActions();
  useTabTitle(going);
  useFollowing(going?.here ? going.cell.id : null);
  if (!going) return null;
  const { cell, notebook, run, here } = going;
  const share = shareDone(run.progress);
  const name = here ? cellTitle(cell) : `“${notebook.title || "Untitled notebook"}”, ${cellTitle(cell)}`;
  const show = async (): Promise<void> => {
    if (!here) await openNotebook(notebook.id);
    goToCell(cell.id);
  };
  return (
    <div className={s.status}>
      <Button
        look="quiet"
        size="s"
        aria-label={`${name}: show the cell that runs`}
        onClick={() => void show()}
      >
        <Row as="span" gap="0.5rem" shrinks whiteSpace="nowrap">
          <span className={s.name}>{name}</span>
          <span className={s.what}>{spoken(run)}</span>
          <span className={s.short}>{share === null ? "Runs" : percent(share)}</span>
        </Row>
      </Button>
      <span
        className={s.track}
        data-moving={share === null}
        style={{ "--done": share ?? 0 } as React.CSSProperties}
        aria-hidden="true"
      />
    </div>
  );
}

/** "38 % Memorise, The lamp at Harrow Point" while something runs; else the notebook's title. */
export function tabTitle(going: GoingRun | null, title: string): string {
  const own = title === "" ? "Palimpsest" : `${title}, Palimpsest`;
  if (!going) return own;
  const share = shareDone(going.run.progress);
  const state =
    going.run.status === "paused" ? "Paused: " : share === null ? "Running: " : `${percent(share)} `;
  return `${state}${cellTitle(going.cell)}, ${going.notebook.title || "Palimpsest"}`;
}

function useTabTitle(going: GoingRun | null): void {
  const title = tabTitle(
    going,
    useApp((state) => currentOf(state)?.notebook.title ?? ""),
  );
  useEffect(() => {
    document.title = title;
  }, [title]);
}

/** While the whole notebook runs the page goes to each cell that begins, until the person goes elsewhere. */
function useFollowing(cellId: string | null): void {
  const following = useApp((state) => state.following);
  const { stopFollowing } = useActions();
  useEffect(() => {
    if (following && cellId) goToCell(cellId, { focus: false });
  }, [following, cellId]);
  useEffect(() => {
    if (!following) return;
    const moves = ["wheel", "touchmove", "keydown"] as const;
    for (const move of moves) addEventListener(move, stopFollowing, { passive: true });
    return () => {
      for (const move of moves) removeEventListener(move, stopFollowing);
    };
  }, [following, stopFollowing]);
}
