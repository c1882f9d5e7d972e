/** @file How questions find a fact: the questions made for it, the document of its anchor, and the nearest facts. */

import type { Neighbour } from "../../../records/geometry.ts";
import type { AnchorRouting } from "../../../records/memory.ts";
import { Ask } from "../../controls/Asked.tsx";
import { Stack } from "../../controls/layout.tsx";
import { Stored } from "../../facts/Recalled.tsx";
import { counted } from "../../format.ts";
import type { Column } from "../../table/column.ts";
import { Table } from "../../table/Table.tsx";
import { FactButton, NeedsModel } from "./parts.tsx";
import type { FactTools } from "./useFact.ts";
import s from "./FactPanel.module.css";

export function RoutingSection({ tools: { memory, row } }: { readonly tools: FactTools }) {
  return (
    <Ask
      ask={({ library }) => library().routing({ memory, id: row.id })}
      inputs={[memory, row]}
      what="Reading the routing index"
    >
      {(routing) =>
        routing ? (
          <Routing routing={routing} id={row.id} />
        ) : (
          <p className={s.soft}>No anchor document names it: no question can lead here.</p>
        )
      }
    </Ask>
  );
}

function Routing({ routing, id }: { readonly routing: AnchorRouting; readonly id: string }) {
  const own = routing.facts.find((fact) => fact.id === id);
  return (
    <>
      {own && own.questions.length > 0 ? (
        <>
          <h5 className={s.subheading}>Questions it is found by</h5>
          <ul className={s.questions}>
            {own.questions.map((question, i) => (
              <li key={i}>{question}</li>
            ))}
          </ul>
        </>
      ) : (
        <p className={s.soft}>
          {own?.terms === undefined
            ? "No questions were made for it; it is found by its words."
            : "Its words and questions are not kept: it is found by its vector and by salted hashes of their terms."}
        </p>
      )}
      <h5 className={s.subheading}>
        Document of the anchor {routing.anchor}{" "}
        <span className={s.soft}>
          {counted(routing.facts.length, "fact")}, ι = {routing.order}
        </span>
      </h5>
      <Stack as="ol" gap="0.3rem" plainList className={s.neighbours}>
        {routing.facts.map((fact) =>
          fact.id === id ? (
            <li key={id} aria-current="true">
              <mark>
                <Stored fact={fact} />
              </mark>
            </li>
          ) : (
            <li key={fact.id}>
              <FactButton id={fact.id} look="neighbour">
                <Stored fact={fact} />
              </FactButton>
            </li>
          ),
        )}
      </Stack>
    </>
  );
}

const SHOWN = 6;

const NEIGHBOUR_COLUMNS: readonly Column<Neighbour>[] = [
  {
    id: "key",
    label: "Fact",
    cell: ({ id, key }) => (
      <FactButton id={id} look="link">
        {key}
      </FactButton>
    ),
  },
  { id: "layer", label: "Layer", look: "number", cell: ({ layer }) => layer },
  { id: "cosine", label: "Similarity", look: "number", cell: ({ cosine }) => cosine.toFixed(3) },
];

/** The nearest facts: by key at the fact's layer, and by residual at all layers. */
export function NearestSection({ tools }: { readonly tools: FactTools }) {
  const { memory, row } = tools;
  const table = (rows: readonly Neighbour[], by: string, heading: string) => (
    <>
      <h5 className={s.subheading}>{heading}</h5>
      <Table
        caption={`Nearest facts by ${by}`}
        rows={rows}
        columns={NEIGHBOUR_COLUMNS}
        empty={<p className={s.soft}>There is no other fact.</p>}
      />
    </>
  );
  return (
    <NeedsModel tools={tools}>
      <Ask
        ask={({ engine }) => engine().nearest({ memory, id: row.id, count: SHOWN })}
        inputs={[memory, row]}
        what="Comparing the stored vectors"
      >
        {({ byKey, byResidual }) => (
          <>
            {table(byKey, "key", "By key, at the same layer")}
            {table(byResidual, "residual", "By residual, at all layers")}
          </>
        )}
      </Ask>
    </NeedsModel>
  );
}
