/** @file What memorising did: a sentence, the numbers behind it, the layers, the time, and what was left out. */

import { useId, type ReactNode } from "react";
import type { MemoryBytes } from "../../../records/bytes.ts";
import type { LayerIndex } from "../../../records/ids.ts";
import type { FactRow, MemorizeSummary } from "../../../records/notebook.ts";
import { Disclosure } from "../../controls/Disclosure.tsx";
import { bytes, count, counted, duration, percent } from "../../format.ts";
import { meanFidelityText } from "../../facts/words.ts";
import { layerColor } from "../../layerColor.ts";
import { BudgetView } from "./BudgetView.tsx";
import { MEMORIZE_STAGES } from "../../../records/progress.ts";
import { STAGE_NAMES } from "../frame/runView.ts";
import { Grid, Row, Stack, Text } from "../../controls/layout.tsx";
import type { Budget } from "../../../records/plan.ts";
import s from "./Summary.module.css";

export function Summary({
  summary,
  facts,
}: {
  readonly summary: MemorizeSummary;
  /** The memory as it is now, for the counts of its layers; null while it is not read. */
  readonly facts: readonly FactRow[] | null;
}) {
  const { total, budget } = summary;
  const left = leftOut(summary);
  return (
    <Stack gap={3}>
      <Text as="p" measure font="serif" size="l" style={{ lineHeight: 1.5 }}>
        {headline(summary)}
      </Text>
      {left !== null && (
        <Text as="p" tone="soft" size="s" className={s.why}>
          {left}
        </Text>
      )}
      <Numbers summary={summary} />
      <Whole summary={summary} />
      {facts && facts.length !== total && facts.length > 0 && (
        <Text as="p" tone="soft" size="s" className={s.why}>
          Since then the memory has changed: it holds {counted(facts.length, "fact")} now.
        </Text>
      )}
      <Layers layers={summary.layers} facts={facts} />
      <Disclosure summary="Budget" aside={<span className="num">B = {count(budget.facts)}</span>}>
        <BudgetView budget={budget} />
      </Disclosure>
      <Disclosure summary="Time" aside={<span className="num">{duration(totalOf(summary))}</span>}>
        <Times milliseconds={summary.milliseconds} />
        {summary.expected !== undefined && (
          <Text as="p" tone="soft" size="s" className={s.why}>
            The forecast before the run was {duration(summary.expected * 1000)}.
          </Text>
        )}
      </Disclosure>
      <LeftOut skipped={summary.skipped} />
    </Stack>
  );
}

function Numbers({ summary }: { readonly summary: MemorizeSummary }) {
  const { encoded, known } = summary;
  return (
    <Group name="This run">
      <Entry name="Stored" value={encodedText(summary)} />
      {encoded > 0 && <Quality summary={summary} />}
      {summary.cached !== undefined && (
        <Entry name="From the encoding cache" value={counted(summary.cached, "fact")} />
      )}
      {summary.extracted > 0 && (
        <Entry
          name="Facts found, kept by Eq. 1"
          value={`${count(summary.extracted)}, ${count(summary.retained)}`}
        />
      )}
      {summary.evicted !== undefined && (
        <Entry name="Made room for later ones" value={counted(summary.evicted, "stored fact")} />
      )}
      {known.length > 0 && (
        <Entry name="In the memory already" value={known.map((title) => `“${title}”`).join(", ")} />
      )}
    </Group>
  );
}

function Whole({ summary }: { readonly summary: MemorizeSummary }) {
  const { encoded, total } = summary;
  const before = encoded > 0 && total > encoded ? `, ${count(total - encoded)} of them from before` : "";
  return (
    <Group name="The whole memory after it">
      <Entry name="Facts" value={`${counted(total, "fact")}${before}`} />
      <Size summary={summary} />
    </Group>
  );
}

function Group({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <Text as="p" id={id} tone="soft" size="s" weight="bold" style={{ margin: "0 0 var(--space-1)" }}>
        {name}
      </Text>
      <Grid
        as="dl"
        gap="var(--space-2) var(--space-5)"
        columns="repeat(auto-fill, minmax(min(100%, 11rem), 1fr))"
      >
        {children}
      </Grid>
    </section>
  );
}

function Quality({ summary }: { readonly summary: MemorizeSummary }) {
  const { encoded, exact, fidelity, steps, givenUp = 0 } = summary;
  return (
    <>
      <Entry name="Exact" value={`${percent(exact / encoded)}, ${count(exact)} of ${count(encoded)}`} />
      <Entry name="Mean fidelity" value={meanFidelityText(fidelity, exact, encoded)} />
      <Entry name="Steps of its vectors" value={`${count(steps)}, ${(steps / encoded).toFixed(1)} a fact`} />
      {givenUp > 0 && <Entry name="Steps of tries given up" value={count(givenUp)} />}
    </>
  );
}

function Size({ summary: { kept } }: { readonly summary: MemorizeSummary }) {
  return (
    <>
      <Entry name="Source text" value={bytes(kept.text)} />
      <Entry name="Stored vectors" value={bytes(kept.vectors)} />
      <Entry name="Routing index" value={indexText(kept)} />
      <Entry name="A fact" value={bytes(Math.round(kept.perFact))} />
    </>
  );
}

function LeftOut({ skipped }: Pick<MemorizeSummary, "skipped">) {
  if (skipped.length === 0) return null;
  return (
    <Disclosure summary="Left out" aside={<span className="num">{counted(skipped.length, "sentence")}</span>}>
      <Stack as="ul" gap={3} style={{ paddingLeft: "1.1rem" }}>
        {skipped.slice(0, MOST_SKIPPED).map(({ value, why }, i) => (
          <li key={i}>
            <span className="remembered">{value}</span>
            <Text tone="soft" size="s" className={s.why}>
              {why}
            </Text>
          </li>
        ))}
      </Stack>
      {skipped.length > MOST_SKIPPED && <p>and {count(skipped.length - MOST_SKIPPED)} more.</p>}
    </Disclosure>
  );
}

const indexText = ({ index, words }: MemoryBytes): string =>
  `${bytes(index)}, ${words > 0 ? `${bytes(words)} of it in words` : "no sentence in it"}`;

function Entry({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div className={s.entry}>
      <dt>{name}</dt>
      <dd className="num">{value}</dd>
    </div>
  );
}

/** The storage layers in their colours; how full each is, where the memory was read. */
function Layers({
  layers,
  facts,
}: {
  readonly layers: readonly LayerIndex[];
  readonly facts: readonly FactRow[] | null;
}) {
  const counts = facts && facts.length > 0 ? countByLayer(facts) : null;
  return (
    <div>
      {counts && (
        <Row gap="2px" className={s.bar} aria-hidden="true">
          {layers.map((layer) => (
            <span key={layer} style={{ flexGrow: counts.get(layer) ?? 0, background: layerColor(layer) }} />
          ))}
        </Row>
      )}
      <Row
        as="ul"
        wrap
        gap="0.2rem var(--space-4)"
        size="s"
        plainList
        className={s.layers}
        aria-label="Storage layers"
      >
        {layers.map((layer) => (
          <li key={layer} style={{ "--layer": layerColor(layer) } as object}>
            layer {layer}
            {counts && <span className="num"> {counted(counts.get(layer) ?? 0, "fact")}</span>}
          </li>
        ))}
      </Row>
    </div>
  );
}

function Times({ milliseconds }: Pick<MemorizeSummary, "milliseconds">) {
  const longest = Math.max(...Object.values(milliseconds), 1);
  return (
    <table className={s.times}>
      <caption className="visually-hidden">Time per stage</caption>
      <tbody>
        {MEMORIZE_STAGES.filter((stage) => stage in milliseconds).map((stage) => {
          const time = milliseconds[stage] ?? 0;
          return (
            <tr key={stage}>
              <th scope="row">{STAGE_NAMES[stage]}</th>
              <td className="num">{duration(time)}</td>
              <td className={s.track}>
                <span style={{ width: `${(time / longest) * 100}%` }} />
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

const totalOf = ({ milliseconds }: MemorizeSummary): number =>
  Object.values(milliseconds).reduce((sum, time) => sum + time, 0);

/** More than this is for an export, not for a page. */
const MOST_SKIPPED = 50;

/** E.g. "43 facts of “The Lamp” are in the model’s memory, 41 of them word for word." */
export function headline(summary: MemorizeSummary): string {
  const { sources, encoded, exact, total } = summary;
  if (encoded === 0) return `No fact was added; the memory has ${counted(total, "fact")}.`;
  const titles = sources.map(({ title }) => `“${title}”`);
  const of = titles.length === 0 ? "" : ` of ${listed(titles)}`;
  const before = total > encoded ? `, in addition to ${counted(total - encoded, "older one")}` : "";
  return `${counted(encoded, "fact")}${of} ${encoded === 1 ? "is" : "are"} in memory${before}: ${exactly(exact, encoded)}.`;
}

/** The share of the texts that no fact stores; null if it is zero or unknown. */
function leftOut({ extraction = [], extracted, retained, budget }: MemorizeSummary): string | null {
  const parts = extraction.flatMap((text) => text.parts);
  const sentences = parts.reduce((sum, part) => sum + part.sentences, 0);
  const candidates = parts.reduce((sum, part) => sum + part.candidates, 0);
  return sentences === 0
    ? null
    : unstored({ sentences, candidates, retained: candidates - (extracted - retained) }, budget, "after");
}

/** Of how many sentences, how many pass the filter, and how many of those Eq. 1 keeps. */
interface Kept {
  readonly sentences: number;
  readonly candidates: number;
  readonly retained: number;
}

/** Which sentences are, or will be, in no fact, and why; null where all are in one. */
export function unstored(
  { sentences, candidates, retained }: Kept,
  { depth, bound, perAnchor }: Pick<Budget, "depth" | "bound" | "perAnchor">,
  when: "before" | "after",
): string | null {
  const [unfit, gaveWay] = [sentences - candidates, candidates - retained];
  const why = [
    ...(unfit > 0
      ? [
          `${count(unfit)} by the filter, which keeps sentences with a name, a number, an identifier or a relation`,
        ]
      : []),
    ...(gaveWay > 0
      ? [
          `${count(gaveWay)} by Eq. 1: ${bound === "information" || perAnchor >= depth ? `an anchor keeps its ${counted(depth, "latest fact")}` : "the layers have no room for more"}`,
        ]
      : []),
  ];
  if (why.length === 0) return null;
  const left = unfit + gaveWay;
  const verb = when === "before" ? "will not be" : left === 1 ? "is not" : "are not";
  return `${count(left)} of ${counted(sentences, "sentence")} ${verb} stored: ${why.join("; ")}.`;
}

/** "20 facts, 12 of them left over from an interrupted run": the 12 are included in the 20. */
export function encodedText({ encoded, resumed }: MemorizeSummary): string {
  const left = Math.min(resumed, encoded);
  const those =
    left === 0 ? "" : left < encoded ? `${count(left)} of them ` : encoded > 1 ? "all of them " : "";
  return left === 0
    ? counted(encoded, "fact")
    : `${counted(encoded, "fact")}, ${those}left over from an interrupted run`;
}

function exactly(exact: number, encoded: number): string {
  if (exact === encoded) return encoded === 1 ? "recalled word for word" : "all recalled word for word";
  if (exact === 0) return encoded === 1 ? "not recalled word for word" : "none recalled word for word";
  return `${count(exact)} recalled word for word, ${count(encoded - exact)} not`;
}

function listed(words: readonly string[]): string {
  if (words.length > 3) return `${words.slice(0, 2).join(", ")} and ${words.length - 2} more`;
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

function countByLayer(facts: readonly FactRow[]): ReadonlyMap<LayerIndex, number> {
  const counts = new Map<LayerIndex, number>();
  for (const { layer } of facts) counts.set(layer, (counts.get(layer) ?? 0) + 1);
  return counts;
}
