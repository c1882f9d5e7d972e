/** @file The facts that were recalled for a question, in source order: the gate of each, its words, its competitors. */

import { useEffect, useRef } from "react";
import type { Reconstruction } from "../../../records/answer.ts";
import type { FactId } from "../../../records/ids.ts";
import type { FactRow } from "../../../records/notebook.ts";
import type { QuestionParams } from "../../../records/params.ts";
import { cx } from "../../cx.ts";
import { LayerChip } from "../../facts/LayerChip.tsx";
import { Recalled } from "../../facts/Recalled.tsx";
import { Said } from "../../facts/StoredFact.tsx";
import { usePrinting } from "../../controls/printing.ts";
import { Competitors } from "../../facts/Competitors.tsx";
import { GateScale } from "../../facts/GateScale.tsx";
import { RecalledParts } from "../../facts/RecalledParts.tsx";
import { equality, type Equality } from "./stages.ts";
import { cosine, GATE_WORDS, gateState } from "../../facts/gateText.ts";
import { Row, Text } from "../../controls/layout.tsx";
import s from "./RecalledFacts.module.css";

export interface RecalledFactsProps {
  readonly recalled: readonly Reconstruction[];
  readonly cited: ReadonlySet<string>;
  readonly rows: ReadonlyMap<string, FactRow>;
  readonly settings: QuestionParams;
  /** The fact that a citation asked for. */
  readonly lit: FactId | null;
  readonly onInspect: (id: FactId) => void;
}

export function RecalledFacts(props: RecalledFactsProps) {
  return (
    <Text as="ol" plainList aria-label="Recalled facts, in source order">
      {props.recalled.map((fact) => (
        <RecalledFact key={fact.id} fact={fact} {...props} />
      ))}
    </Text>
  );
}

const EQUALITY: Readonly<Record<Equality, string>> = {
  equal: "as stored",
  differs: "differs from what was stored",
  unknown: "deleted since",
};

function RecalledFact({
  fact,
  cited,
  rows,
  settings,
  lit,
  onInspect,
}: RecalledFactsProps & { readonly fact: Reconstruction }) {
  const printing = usePrinting();
  const row = rows.get(fact.id);
  const equal = equality(fact, row);
  const gate = gateState(fact);
  const item = useRef<HTMLLIElement>(null);
  const isLit = lit === fact.id;
  useEffect(() => {
    if (isLit) item.current?.scrollIntoView({ block: "nearest" });
  }, [isLit]);
  return (
    <li ref={item} className={cx(s.fact, gate !== "open" && s.shut, isLit && s.lit)}>
      <Row wrap align="center" gap="0.2rem 0.9rem" size="s">
        {row && !printing ? (
          <button type="button" className={s.key} onClick={() => onInspect(fact.id)}>
            {fact.key}
          </button>
        ) : (
          <span className={cx(s.key, !row && s.gone)}>{fact.key}</span>
        )}
        <LayerChip layer={fact.layer} />
        <Row as="span" align="center" gap="0.45rem" inline>
          <GateScale similarity={fact.read.similarity} theta={settings.theta} open={gate === "open"} />
          <span className="num">{cosine(fact.read.similarity)}</span>
          <Text tone="soft" className={cx(gate === "open" && s.open)}>
            {GATE_WORDS[gate]}
          </Text>
        </Row>
        {cited.has(fact.key) && (
          <Text tone="soft" italic>
            cited
          </Text>
        )}
      </Row>
      <Text as="p" above="0.15rem" size="l">
        {gate === "open" ? (
          <>
            {fact.text === "" ? (
              <Said id={fact.id} />
            ) : (
              <Recalled stored={row?.value ?? fact.text} said={fact.text} exact={equal !== "differs"} />
            )}{" "}
            <Text size="s" whiteSpace="nowrap" className={s[equal]} style={{ marginLeft: "0.3rem" }}>
              {EQUALITY[equal]}
            </Text>
          </>
        ) : (
          <Text tone="soft" size="s">
            {settings.answers === "ours"
              ? "Nothing was injected, and the model was not told what it said here"
              : "Nothing was injected; the model was told what it said here"}
            : “{fact.text}”
          </Text>
        )}
      </Text>
      <RecalledParts fact={fact} />
      <Competitors read={fact.read} own={fact.id} rows={rows} beta={settings.beta} />
    </li>
  );
}
