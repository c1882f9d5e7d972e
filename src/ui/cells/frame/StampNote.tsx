/** @file The note in the margin: when, how long and on what an output was made, and why it is stale. */

import { staleReasons } from "../../../notebook/stale.ts";
import { stampsOf, type NamedStamp } from "../../../notebook/stamps.ts";
import type { Cell } from "../../../records/notebook.ts";
import { useNotebook } from "../../app.tsx";
import { Badge } from "../../controls/Badge.tsx";
import { dateTime, duration } from "../../format.ts";
import { Row, Stack, Text } from "../../controls/layout.tsx";
import s from "./StampNote.module.css";

/** `making`: what it says is out of date is being made anew. */
export function StampNote({ cell, making }: { readonly cell: Cell; readonly making: boolean }) {
  const notebook = useNotebook();
  const stamps = stampsOf(notebook, cell);
  if (stamps.length === 0) return null;
  const reasons = staleReasons(notebook, cell);
  return (
    <Stack tone="soft" size="xs" numeric justify="end" className={s.note}>
      {reasons.length > 0 && !making && (
        <Stack justify="end" className={s.stale}>
          <Badge tone="ochre" icon="warning">
            Out of date
          </Badge>
          <Text tone="ochre">{reasons.join("; ")}</Text>
        </Stack>
      )}
      {stamps.map((one) => (
        <Made key={one.name} {...one} />
      ))}
    </Stack>
  );
}

function Made({ name, stamp }: NamedStamp) {
  return (
    <Stack justify="end" className={s.made}>
      {name && <span>{name}</span>}
      <time dateTime={stamp.at} title={`Output saved by version ${stamp.app}`}>
        {dateTime(stamp.at)}
      </time>
      <Text whiteSpace="nowrap">
        {duration(stamp.milliseconds)}
        {stamp.backend && ` on ${stamp.backend}`}
      </Text>
      {stamp.model && (
        <Row as="span" wrap justify="end">
          {stamp.model.split(/(?=@)/).map((part) => (
            <span key={part}>{part}</span>
          ))}
        </Row>
      )}
    </Stack>
  );
}
