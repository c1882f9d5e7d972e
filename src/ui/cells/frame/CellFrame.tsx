/**
 * @file The frame of every cell: in the margin its number, kind, run button and when its output was made; in the
 * column its title and its body; below, what went wrong. Bodies draw inputs and outputs and nothing of this.
 */

import { useSortable } from "@dnd-kit/sortable";
import { CSS } from "@dnd-kit/utilities";
import { Suspense, useState } from "react";
import { cellTitle, KINDS } from "../../../notebook/kinds.ts";
import type { Cell } from "../../../records/notebook.ts";
import { isBegun } from "../../../state/going.ts";
import { useActions, useApp, useCanWrite, useRun } from "../../app.tsx";
import { IconButton } from "../../controls/Button.tsx";
import { cx } from "../../cx.ts";
import { cellAnchor } from "../../shell/goToCell.ts";
import { bodyOf } from "../registry.ts";
import { CellMenu, type CellPlace } from "./CellMenu.tsx";
import { CellTitle } from "./CellTitle.tsx";
import { Failure } from "./Failure.tsx";
import { GuardedBody } from "./GuardedBody.tsx";
import { RunControl } from "./RunControl.tsx";
import { RunLive } from "./RunLive.tsx";
import { StampNote } from "./StampNote.tsx";
import { Row, Text } from "../../controls/layout.tsx";
import s from "./CellFrame.module.css";

export function CellFrame(place: CellPlace) {
  const { cell, index } = place;
  const { select } = useActions();
  const selected = useApp((state) => state.selected === cell.id);
  const canWrite = useCanWrite();
  const run = useRun(cell.id);
  const drag = useSortable({ id: cell.id, disabled: !canWrite });
  const take = (): void => {
    if (!selected) select(cell.id);
  };
  return (
    <section
      ref={drag.setNodeRef}
      id={cellAnchor(cell.id)}
      data-cell={cell.id}
      data-kind={cell.kind}
      tabIndex={-1}
      aria-label={`Cell ${index + 1}: ${cellTitle(cell)}`}
      className={cx(s.cell, selected && s.selected, drag.isDragging && s.dragging)}
      style={{ transform: CSS.Translate.toString(drag.transform), transition: drag.transition }}
      onFocus={take}
      onPointerDown={take}
    >
      <div className={s.margin}>
        <div className={s.kind}>
          <span className={s.number}>{index + 1}</span>
          <span className={s.kindName}>{KINDS[cell.kind].name}</span>
        </div>
        <RunControl cell={cell} run={run} />
        <StampNote cell={cell} making={isBegun(run)} />
      </div>
      <Text as="div" shrinks className={s.column}>
        <Row as="header" align="start" gap={3}>
          <CellTitle cell={cell} />
          <Row flex="fixed" className={s.tools}>
            {canWrite && <Grip drag={drag} />}
            <CellMenu {...place} />
          </Row>
        </Row>
        <RunLive cell={cell} run={run} />
        <CellBody cell={cell} />
        {run && <Failure cell={cell} run={run} />}
      </Text>
    </section>
  );
}

function Grip({ drag }: { readonly drag: ReturnType<typeof useSortable> }) {
  return (
    <IconButton
      ref={drag.setActivatorNodeRef}
      icon="grip"
      label="Drag to move"
      size="s"
      className={s.grip}
      {...drag.attributes}
      {...drag.listeners}
    />
  );
}

function CellBody({ cell }: { readonly cell: Cell }) {
  // Kept: another component for the same kind would draw the cell anew.
  const [Body] = useState(() => bodyOf(cell.kind));
  return (
    <Text as="div" shrinks data-body>
      <GuardedBody key={cell.id}>
        <Suspense fallback={<div className={s.waiting} />}>
          <Body cell={cell} />
        </Suspense>
      </GuardedBody>
    </Text>
  );
}
