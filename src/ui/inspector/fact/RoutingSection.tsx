/** @file How questions find a fact: the questions made for it, and the document of its anchor. */

import { Suspense, lazy } from "react";
import type { AnchorRouting } from "../../../records/memory.ts";
import { Stored } from "../../facts/StoredFact.tsx";
import { counted } from "../../format.ts";
import { FactButton } from "./FactButton.tsx";
import { Loading, NeedsModel } from "./Loading.tsx";
import type { FactTools } from "./useFact.ts";
import { Row, Stack } from "../../controls/layout.tsx";
import type { Neighbour } from "../../../records/geometry.ts";
import { nearestRows } from "../../../figures/reconstruction.ts";
import { keyText } from "../../../records/fact.ts";
import { SAVED } from "./VectorSection.tsx";
import s from "./FactPanel.module.css";

export function RoutingSection({ tools: { memory, row, saved } }: { readonly tools: FactTools }) {
  if (saved)
    return (
      <p className={s.soft}>
        The saved example holds no routing index. Run all cells, and it is made in this browser.
      </p>
    );
  return (
    <Loading
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
    </Loading>
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
        {routing.facts.map((fact) => (
          <li key={fact.id} {...(fact.id === id ? { "aria-current": "true" } : {})}>
            {fact.id === id ? (
              <mark>
                <Stored fact={fact} />
              </mark>
            ) : (
              <FactButton id={fact.id} look="neighbour">
                <Stored fact={fact} />
              </FactButton>
            )}
          </li>
        ))}
      </Stack>
    </>
  );
}

const FigureView = lazy(() =>
  import("../../charts/FigureView.tsx").then(({ FigureView }) => ({ default: FigureView })),
);

const SHOWN = 6;

export function NearestSection({ tools }: { readonly tools: FactTools }) {
  const { memory, row, saved, source } = tools;
  if (saved) return <p className={s.soft}>{SAVED}</p>;
  const part = (found: readonly Neighbour[], by: "key" | "residual") => (
    <>
      <Suspense fallback={<div className={s.figureRoom} />}>
        <FigureView
          figure={nearestRows({ neighbours: found, key: keyText(row), by }, source("stored vectors"))}
        />
      </Suspense>
      <Row as="p" wrap gap="0.15rem 0.7rem" tone="soft" size="s">
        {found.length > 0 && "Open "}
        {found.map(({ id, key }) => (
          <FactButton key={key} id={id} look="link">
            {key}
          </FactButton>
        ))}
      </Row>
    </>
  );
  return (
    <NeedsModel tools={tools}>
      <Loading
        ask={({ engine }) => engine().nearest({ memory, id: row.id, count: SHOWN })}
        inputs={[memory, row]}
        what="Comparing the stored vectors"
      >
        {({ byKey, byResidual }) => (
          <>
            {part(byKey, "key")}
            {part(byResidual, "residual")}
          </>
        )}
      </Loading>
    </NeedsModel>
  );
}
