/**
 * @file How far a question came: routing, gate, reconstruction, answer. The failure categories of the paper's
 * attribution table, with the gate told apart from what was decoded behind it; extraction happens long before and
 * shows itself as routing that found nothing.
 */

import type { Answer, Reconstruction } from "../../../records/answer.ts";
import type { FactRow } from "../../../records/notebook.ts";

export type StageName = "routing" | "gate" | "reconstruction" | "answer";

export interface StageOutcome {
  readonly name: StageName;
  /** "warn": something is off, but the answer does not rest on it. "skipped": an earlier stage left nothing to do. */
  readonly state: "ok" | "warn" | "failed" | "skipped";
  /** What happened, as a sentence. */
  readonly text: string;
}

/**
 * What a recalled text is beside the stored sentence; "unknown" when the fact has been deleted since. Where no words
 * are kept, what its encoding ended with.
 */
export type Equality = "equal" | "differs" | "unknown";

export function equality({ text }: Reconstruction, row: FactRow | undefined): Equality {
  if (row === undefined) return "unknown";
  return (row.value === null ? row.exact : row.value === text) ? "equal" : "differs";
}

/** Whether the model was told this fact: its gate was open and its own key won. */
export const wasRead = ({ read }: Pick<Reconstruction, "read">): boolean => read.openPositions.length > 0;

type Rows = ReadonlyMap<string, FactRow>;

/** All four stages of an answer in running order. */
export function stages(answer: Answer, rows: Rows): readonly StageOutcome[] {
  return [routing(answer), gate(answer), reconstruction(answer, rows), reply(answer, rows)];
}

/** The stage at which a question failed, with the reason; null for an answer that rests on recalled facts. */
export const failureStage = (answer: Answer, rows: Rows): StageOutcome | null =>
  answer.notInMemory || answer.cited.length === 0
    ? (stages(answer, rows).find(({ state }) => state === "failed") ?? null)
    : null;

const many = (count: number, one: string, more = `${one}s`): string => `${count} ${count === 1 ? one : more}`;
const shown = (value: number): string => value.toFixed(2);

function routing({ route, recalled }: Answer): StageOutcome {
  const kept = route.anchors.filter((anchor) => anchor.kept).length;
  if (recalled.length > 0) {
    const [anchors, facts] = [many(kept, "anchor"), many(recalled.length, "fact")];
    return { name: "routing", state: "ok", text: `Routing chose ${anchors} with ${facts} to recall.` };
  }
  const text =
    route.anchors.length === 0
      ? "Nothing was found: no anchor or fact shares a word with the question, or lies near it."
      : `${many(route.anchors.length, "anchor was", "anchors were")} weighed, and none led to a stored fact.`;
  return { name: "routing", state: "failed", text };
}

const skipped = (name: StageName, text: string): StageOutcome => ({ name, state: "skipped", text });

function gate({ recalled, settings }: Answer): StageOutcome {
  if (recalled.length === 0) return skipped("gate", "No fact was asked for, so no gate was tried.");
  const open = recalled.filter(wasRead).length;
  const name = "gate" as const;
  if (open === recalled.length)
    return {
      name,
      state: "ok",
      text: `${open === 1 ? "The gate" : open === 2 ? "Both gates" : `All ${open} gates`} opened at θ = ${settings.theta}.`,
    };
  if (open > 0) {
    const text = `${open} of ${recalled.length} gates opened; behind the others nothing was told to the model.`;
    return { name, state: "warn", text };
  }
  return { name, state: "failed", text: whyShut(recalled, settings.theta) };
}

/** Nothing was read: either no key was near enough, or a key that is not the asked fact's own was nearest. */
function whyShut(recalled: readonly Reconstruction[], theta: number): string {
  const usurped = recalled.filter(({ read }) => read.gateOpen).length;
  if (usurped > 0)
    return (
      `At ${usurped} of ${many(recalled.length, "recall key")} the key of another fact was nearest, ` +
      `so nothing was read there${usurped < recalled.length ? "; the other gates stayed closed" : ""}.`
    );
  const best = Math.max(...recalled.map(({ read }) => read.similarity));
  const which =
    recalled.length === 1
      ? "The gate stayed closed"
      : recalled.length === 2
        ? "Both gates stayed closed"
        : `All ${recalled.length} gates stayed closed`;
  return `${which}: the best similarity, ${shown(best)}, is not above θ = ${theta}.`;
}

function reconstruction({ recalled, cited }: Answer, rows: Rows): StageOutcome {
  const read = recalled.filter(wasRead);
  const name = "reconstruction" as const;
  if (read.length === 0) return skipped(name, "No gate opened, so nothing was decoded from memory.");
  const how = (fact: Reconstruction): Equality => equality(fact, rows.get(fact.id));
  const wrong = read.filter((fact) => how(fact) === "differs");
  if (wrong.length > 0) {
    const rests = wrong.some(({ key }) => cited.includes(key));
    const text = `${wrong.length} of ${many(read.length, "recalled fact")} ${
      wrong.length === 1 ? "differs" : "differ"
    } from what was stored${rests ? ", and the answer rests on it" : ""}.`;
    return { name, state: cited.length > 0 && !rests ? "warn" : "failed", text };
  }
  const unknown = read.filter((fact) => how(fact) === "unknown").length;
  const [same, gone] = [asStored(read.length - unknown), deletedSince(unknown)];
  return { name, state: unknown > 0 ? "warn" : "ok", text: [same, gone].filter(Boolean).join(" ") };
}

function asStored(compared: number): string {
  if (compared === 0) return "";
  return compared === 1
    ? "The recalled fact is word for word what was stored."
    : `${compared === 2 ? "Both" : `All ${compared}`} recalled facts are word for word what was stored.`;
}

function deletedSince(unknown: number): string {
  if (unknown === 0) return "";
  return `${many(unknown, "fact has", "facts have")} been deleted since and cannot be compared.`;
}

function reply({ recalled, notInMemory, cited }: Answer, rows: Rows): StageOutcome {
  const name = "answer" as const;
  const read = recalled.filter(wasRead);
  if (read.length === 0)
    return skipped(name, "The model was not asked, because it had no fact to answer from.");
  if (!notInMemory && cited.length > 0)
    return { name, state: "ok", text: `The answer rests on ${cited.join(", ")}.` };
  if (!notInMemory)
    return {
      name,
      state: "failed",
      text: "The model's words are in none of the recalled facts; they are its own.",
    };
  const exact = read.every((fact) => equality(fact, rows.get(fact.id)) !== "differs");
  const text =
    read.length === 1
      ? `The model was told one fact${exact ? ", as it was stored," : ""} and found no answer in it.`
      : `The model was told ${read.length} facts${exact ? ", all as they were stored," : ""} and found no answer in them.`;
  return { name, state: "failed", text };
}
