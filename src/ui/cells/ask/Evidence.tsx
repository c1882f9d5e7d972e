/** @file The recalled sentences that stand with an answer, nearest to the question first. */

import { useState } from "react";
import type { Reconstruction } from "../../../records/answer.ts";
import { SENTENCES_SHOWN } from "../../../records/judge.ts";
import { Button } from "../../controls/Button.tsx";
import { Said } from "../../facts/StoredFact.tsx";
import { counted } from "../../format.ts";
import { usePrinting } from "../../table/printing.ts";
import { Citation } from "./Citation.tsx";
import type { CitedFact } from "./cited.ts";
import { Stack, Text } from "../../controls/layout.tsx";
import s from "./Evidence.module.css";

export function Evidence({
  facts,
  onOpen,
}: {
  readonly facts: readonly CitedFact[];
  readonly onOpen: (fact: CitedFact) => void;
}) {
  const printing = usePrinting();
  const [all, setAll] = useState(printing);
  if (facts.length === 0) return null;
  const shown = all ? facts : facts.slice(0, SENTENCES_SHOWN);
  return (
    <>
      <Stack
        as="ol"
        gap="0.3rem"
        measure
        className={s.evidence}
        aria-label="Recalled sentences, nearest to the question first"
      >
        {shown.map((fact) => (
          <li key={fact.fact.id} className={s.sentence}>
            {fact.fact.text === "" ? <Said id={fact.fact.id} /> : fact.fact.text}
            <Citation cited={fact} onOpen={() => onOpen(fact)} />
            <Doubt fact={fact.fact} />
          </li>
        ))}
      </Stack>
      {facts.length > shown.length && (
        <Button look="quiet" size="s" onClick={() => setAll(true)}>
          Show {counted(facts.length - shown.length, "more recalled sentence")}
        </Button>
      )}
    </>
  );
}

/** Said of a sentence that came back with other words. */
function Doubt({ fact: { exact } }: { readonly fact: Reconstruction }) {
  return exact === false ? (
    <Text tone="ochre" font="sans" size="s">
      {" "}
      not word for word
    </Text>
  ) : null;
}
