/** @file Eq. 2 drawn: anchors across in their order, their facts down, each in the colour of the layer it went to. */

import type { FigureOf, RowOf } from "../../figures/registry.ts";
import { count, counted } from "../format.ts";
import { layerOf } from "./kit/colors.ts";
import type { PictureOf, Room } from "./kit/picture.ts";
import { distinct } from "./kit/scale.ts";

type Row = RowOf<"round-robin">;

const LEFT = 30;
const TOP = 44;
/** Cells are this large, down to this small; what then does not fit is in the table. */
const LARGEST = 26;
const SMALLEST = 7;

export const roundRobinFigure: PictureOf<"round-robin"> = ({ rows, caption, guides }, beside) => {
  const moved = rows.filter(({ byEquation }) => !byEquation).length;
  const slots = slotsOf(guides, rows);
  const example = rows.find(({ index }) => index > 1) ?? rows[0];
  return {
    summary: `${caption} Layers follow each other along each anchor and from anchor to anchor${moved > 0 ? `; ${counted(moved, "fact")} moved by hand` : ""}.`,
    below: example && <Worked row={example} slots={slots.length} />,
    draw: (room) => <Grid {...{ room, rows, slots }} beside={beside?.rows ?? []} />,
  };
};

/** (ι + j) mod K for one fact, in numbers; where ι follows from the anchor's words, what is left of it by K. */
function Worked({
  row: { key, order, index, slot, layer },
  slots,
}: {
  readonly row: Row;
  readonly slots: number;
}) {
  const j = index - 1;
  const rest = (((slot - j) % slots) + slots) % slots;
  const [is, iota] = order % slots === rest ? ["ι", order] : [`ι mod ${slots}`, rest];
  return (
    <>
      For example {key}: {is} = {iota}, j = {j} (its index less one), ({iota} + {j}) mod {slots} = {slot}, and
      λ has layer {layer} at place {slot}.
    </>
  );
}

/** The layer at each place of λ; of a file that older versions wrote, as far as rows tell. */
function slotsOf(
  guides: FigureOf<"round-robin">["guides"],
  rows: readonly Row[],
): readonly (number | undefined)[] {
  if (guides.length > 0) return guides.map(({ value }) => value);
  const slots: (number | undefined)[] = [];
  for (const { slot, layer, byEquation } of rows) if (byEquation) slots[slot] = layer;
  return slots;
}

/** Pixels of a cell, and the place of each anchor that has one. */
interface Layout {
  readonly size: number;
  readonly place: ReadonlyMap<number, number>;
}

function Grid({
  room: { width, pick },
  rows,
  slots,
  beside,
}: {
  readonly room: Room<Row>;
  readonly rows: readonly Row[];
  readonly slots: readonly (number | undefined)[];
  readonly beside: readonly Row[];
}) {
  const orders = distinct(rows, ({ order }) => order);
  const most = Math.max(1, orders.length, distinct(beside, ({ order }) => order).length);
  const size = Math.max(SMALLEST, Math.min(LARGEST, Math.floor((width - LEFT) / most)));
  const place = new Map(orders.slice(0, Math.floor((width - LEFT) / size)).map((order, i) => [order, i]));
  const shown = rows.filter(({ order }) => place.has(order));
  const depth = shown.reduce((deepest, { index }) => Math.max(deepest, index), 1);
  return (
    <svg width={width} height={TOP + depth * size + 8} fontSize={11.5} fill="var(--ink-soft)">
      <Slots slots={slots} />
      <text x={width} y={12} textAnchor="end">
        {place.size < orders.length
          ? `first ${count(place.size)} of ${counted(orders.length, "anchor")} →`
          : "anchor order ι →"}
      </text>
      <Places size={size} place={place} depth={depth} />
      {shown.map((row) => (
        <Mark key={row.fact} row={row} size={size} place={place} pick={pick} />
      ))}
    </svg>
  );
}

/** Anchor orders across and indices down. */
function Places({ size, place, depth }: Layout & { readonly depth: number }) {
  const every = size >= 18 ? 1 : Math.ceil(30 / size);
  return (
    <>
      <text x={0} y={TOP - 6}>
        index
      </text>
      {[...place].map(
        ([order, i]) =>
          i % every === 0 && (
            <text key={order} x={LEFT + i * size + size / 2} y={TOP - 6} textAnchor="middle">
              {order}
            </text>
          ),
      )}
      {Array.from(
        { length: depth },
        (_, j) =>
          (size >= 12 || j % 2 === 0) && (
            <text key={j} x={LEFT - 8} y={TOP + j * size + size / 2 + 4} textAnchor="end">
              {j + 1}
            </text>
          ),
      )}
    </>
  );
}

function Mark({ row, size, place, pick }: Layout & { readonly row: Row; readonly pick: Room<Row>["pick"] }) {
  const { key, order, index, slot, layer, byEquation } = row;
  const [x, y] = [LEFT + place.get(order)! * size, TOP + (index - 1) * size];
  const go = pick && { onClick: () => pick(row), style: { cursor: "pointer" } };
  return (
    <g {...go}>
      <title>{`${key}: layer ${layer}, place ${slot} of λ${byEquation ? "" : "; moved by hand"}`}</title>
      <rect
        x={x + 0.5}
        y={y + 0.5}
        width={size - 1}
        height={size - 1}
        fill={layerOf(layer)}
        stroke={byEquation ? "none" : "var(--ink)"}
        strokeWidth={byEquation ? 0 : 2}
      />
      {size >= 16 && (
        <text
          x={x + size / 2}
          y={y + size / 2 + 4}
          textAnchor="middle"
          fill="var(--paper-raised)"
          fontSize={size >= 20 ? 11.5 : 10}
        >
          {layer}
        </text>
      )}
    </g>
  );
}

/** λ, so that one sees which place is which layer. */
function Slots({ slots }: { readonly slots: readonly (number | undefined)[] }) {
  return (
    <g>
      <text x={0} y={12}>
        λ
      </text>
      {Array.from(slots, (layer, i) => (
        <g key={i} transform={`translate(${14 + i * 22} 1)`}>
          <rect width={20} height={14} fill={layer === undefined ? "none" : layerOf(layer)} />
          <text x={10} y={11} textAnchor="middle" fill="var(--paper-raised)">
            {layer ?? ""}
          </text>
        </g>
      ))}
    </g>
  );
}
