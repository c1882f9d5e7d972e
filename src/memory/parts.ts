/** @file ρ(κ) and parts: the fixed recall prompt as tokens, a value as the parts that are stored, each with its recall key κ(e, j, s), whether and how stored parts can be recalled, and the two schedules of Adam’s steps on δ. */

import type { Engine, RecallPrompt, RecallRow } from "../engine/engine.ts";
import { throwIfCancelled, assert } from "../lib/assert.ts";
import { turn } from "../lib/eventLoop.ts";
import type { FactId } from "../records/ids.ts";
import { cutInto, cutParts, longestPart, seamsOf, type Seam } from "../plan/parts.ts";
import { type Fact, LONGEST_ANCHOR, type FactKey, keyText } from "../records/fact.ts";
import type { MethodParams } from "../records/params.ts";
import { codeOf, inCodes, looksCoded, textsOf, tokenText } from "./codes.ts";
import { sameTokens } from "./fidelity.ts";
import type { EntryMeta } from "../records/memory.ts";
import type { EntryVectors } from "../records/vectors.ts";
import { fill } from "../lib/format.ts";
import prompts from "../records/prompts.json" with { type: "json" };

export const promptText = (key: FactKey): string => fill(prompts.recall, { key: keyText(key) });

/** ρ(κ) as tokens, with the position of the last token wholly inside the key. @throws if there is no such token */
export function recallPrompt(engine: Engine, key: FactKey): RecallPrompt {
  const text = promptText(key);
  const ids = engine.encode(text);
  // Counted from the end: what precedes the key's end may be shorter in tokens than in text (NFC, a dropped space).
  const behind = text.length - (text.indexOf(keyText(key)) + keyText(key).length);
  let keyPosition = ids.length - 1;
  while (keyPosition > 0 && engine.decode(ids.slice(keyPosition + 1)).length < behind) keyPosition--;
  assert(keyPosition > 0, () => `memory: no token of "${text}" is inside its key "${keyText(key)}"`);
  const opening = openingOf(engine);
  const opens = opening.length < keyPosition && opening.every((id, i) => ids[i] === id);
  return { ids, keyPosition, ...(opens && { opening: opening.length }) };
}

const openings = new WeakMap<Engine, number[]>();

/** The tokens that begin every recall prompt. */
function openingOf(engine: Engine): number[] {
  const known = openings.get(engine) ?? engine.encode(prompts.recall.split("{key}")[0]!.trimEnd());
  openings.set(engine, known);
  return known;
}

/** The final key token of a prompt as text, e.g. ")"; if the tokenizer joins ")" and ":", the token before it. */
export const keyToken = (engine: Engine, { ids, keyPosition }: RecallPrompt): string =>
  engine.decode([ids[keyPosition]!]);

/** v as tokens, as the continuation of the prompt. If the joint text changes the prompt's tokens, it is encoded alone. */
export function valueTokens(engine: Engine, key: FactKey, prompt: RecallPrompt, value: string): number[] {
  const joint = engine.encode(`${promptText(key)} ${value}`);
  if (prompt.ids.every((id, i) => joint[i] === id)) return joint.slice(prompt.ids.length);
  const [start, alone] = [engine.encode(""), engine.encode(` ${value}`)];
  return start.every((id, i) => alone[i] === id) ? alone.slice(start.length) : alone;
}

/** Whether the model can recall a part: an imported one may claim too many tokens, or an impossible anchor. */
export const isAskable = (
  { model }: Pick<Engine, "model">,
  { ids }: RecallPrompt,
  { anchor, layer, tokens }: Pick<EntryMeta, "anchor" | "layer" | "tokens">,
): boolean =>
  anchor.length <= LONGEST_ANCHOR &&
  tokens > 0 &&
  layer < model.layers &&
  ids.length + tokens <= model.window;

/** The tokens that each part's own residual decodes to; empty for parts that cannot be recalled. */
export async function sayAlone(
  engine: Engine,
  entries: readonly EntryVectors<"residual">[],
  signal?: AbortSignal,
): Promise<number[][]> {
  const rows = entries.map((entry) => ownRow(engine, entry));
  const asked = [...rows.keys()].filter((i) => isAskable(engine, rows[i]!.prompt, entries[i]!));
  const said = await engine.recall(
    asked.map((i) => rows[i]!),
    signal,
  );
  const tokens = new Map(asked.map((i, n) => [i, said[n]!]));
  return entries.map((_, i) => tokens.get(i) ?? []);
}

export const ownRow = (engine: Engine, entry: EntryVectors<"residual">): RecallRow => ({
  prompt: recallPrompt(engine, entry),
  injection: { layer: entry.layer, residual: entry.residual },
  tokens: entry.tokens,
});

export function wholeTokens(
  engine: Engine,
  { anchor, index }: Pick<FactKey, "anchor" | "index">,
  value: string,
  coded: boolean,
): readonly number[] {
  const key = { anchor, index };
  const tokens = valueTokens(engine, key, recallPrompt(engine, key), value);
  return coded ? inCodes(engine, tokens, value) : tokens;
}

export const isCoded = (parts: readonly Pick<EntryMeta, "report">[]): boolean =>
  parts.some(({ report }) => report.coded);

export function shareOf(
  engine: Engine,
  whole: readonly number[],
  { start, tokens, report }: Pick<EntryMeta, "start" | "tokens" | "report">,
): readonly number[] {
  const own = whole.slice(start, start + tokens);
  const [first] = own;
  return report.respelt && first !== undefined
    ? (respelling(engine, first, report.coded === true) ?? own)
    : own;
}

/** Tokens [start, start + targets.length) of a fact's value, stored in one vector. */
export interface Part {
  readonly part: number;
  readonly start: number;
  readonly prompt: RecallPrompt;
  readonly targets: readonly number[];
  /** The single token of the value that `targets` say in shorter ones. */
  readonly respelt?: number;
  readonly coded?: true;
}

export type PartParams = Pick<MethodParams, "partTokens" | "spelling">;

/** The parts of a fact, at most `partTokens` long: slices of the tokens of the whole value, so joining them loses nothing. */
export function partsOf(engine: Engine, fact: Fact, params: PartParams): Part[] {
  const prompt = recallPrompt(engine, fact);
  const plain = valueTokens(engine, fact, prompt, fact.value);
  const tokens = params.spelling === "codes" ? inCodes(engine, plain, fact.value) : plain;
  const coded = sameTokens(tokens, plain) ? {} : { coded: true as const };
  const longest = longestPart(params);
  const whole = longest === null || tokens.length <= longest;
  const lengths = whole ? [tokens.length] : cutParts(seams(engine, tokens, coded), longest);
  return slices(tokens, lengths).map(({ start, targets }, i) => ({
    part: i + 1,
    start,
    targets,
    prompt: i === 0 ? prompt : recallPrompt(engine, { ...fact, part: i + 1 }),
    ...coded,
  }));
}

const CUT_TOGETHER = 32;

/** The parts of every fact. For a long text this takes seconds, so it returns to the event loop. @throws Cancelled */
export async function cutFacts(
  engine: Engine,
  facts: readonly Fact[],
  params: PartParams,
  signal?: AbortSignal,
): Promise<ReadonlyMap<FactId, readonly Part[]>> {
  const parts = new Map<FactId, readonly Part[]>();
  for (const [i, fact] of facts.entries()) {
    if (i % CUT_TOGETHER === CUT_TOGETHER - 1) await turn();
    throwIfCancelled(signal, "memory: cutting values");
    parts.set(fact.id, partsOf(engine, fact, params));
  }
  return parts;
}

/** `part` as two: the first keeps its address, the second gets `next`, a number that the fact has not used. */
export function halved(
  engine: Engine,
  fact: Fact,
  { part, start, prompt, targets, coded }: Part,
  next: number,
): Part[] {
  const spelling = coded ? { coded } : {};
  const [first, second] = slices(targets, cutInto(seams(engine, targets, spelling), 2));
  return [
    { part, prompt, start, targets: first!.targets, ...spelling },
    {
      ...spelling,
      part: next,
      prompt: recallPrompt(engine, { ...fact, part: next }),
      start: start + second!.start,
      targets: second!.targets,
    },
  ];
}

const RESPELT_TOKENS = 4;

/**
 * The text of a token in shorter tokens, cut near its middle; of a single character its code if `coded`. No vector produces
 * some tokens. @returns undefined if there is no other spelling
 */
export function respelling(engine: Engine, token: number, coded: boolean): readonly number[] | undefined {
  const text = engine.decode([token]);
  // Some tokenizers begin every text with a special token.
  const opening = engine.encode("").length;
  const inTokens = (piece: string): number[] => engine.encode(piece).slice(opening);
  const cuts = Array.from({ length: Math.max(0, text.length - 1) }, (_, i) => i + 1);
  const middle = text.length / 2;
  for (const cut of cuts.sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle))) {
    const tokens = [...inTokens(text.slice(0, cut)), ...inTokens(text.slice(cut))];
    const shorter = tokens.length <= RESPELT_TOKENS && !tokens.includes(token);
    if (coded && looksCoded(engine, tokens)) continue;
    if (shorter && engine.decode(tokens) === text) return tokens;
  }
  return coded ? codeOf(engine, token) : undefined;
}

const seams = (engine: Engine, tokens: readonly number[], { coded }: Pick<Part, "coded">): Seam[] =>
  seamsOf(coded ? textsOf(engine, tokens) : tokens.map((id) => tokenText(engine, id)));

function slices<T>(items: readonly T[], lengths: readonly number[]): { start: number; targets: T[] }[] {
  let end = 0;
  return lengths.map((length) => {
    const start = end;
    end += length;
    return { start, targets: items.slice(start, end) };
  });
}

export const MOMENTS = {
  paper: { beta1: 0.9, beta2: 0.999 },
  ours: { beta1: 0.8, beta2: 0.95 },
} as const satisfies Record<MethodParams["schedule"], { readonly beta1: number; readonly beta2: number }>;

/** Whether a fact stops as soon as it is exact; refinement then continues the guided steps on the value itself. */
export const stopsWhenExact = ({ schedule }: Pick<MethodParams, "schedule">): boolean => schedule === "ours";

/** Where δ starts with this model: one without a writer has the learned start in its place. */
export const startOf = (
  { writer }: Pick<Engine, "writer">,
  { start }: Pick<MethodParams, "start">,
): MethodParams["start"] => (start === "writer" && !writer ? "learned" : start);

/** Steps of a part that stops when it is exact; the bundled model takes 8 to 9 on novels. */
const TYPICAL_STEPS = 9;

export const expectedSteps = ({
  steps,
  refine,
  schedule,
}: Pick<MethodParams, "steps" | "refine" | "schedule">): number =>
  stopsWhenExact({ schedule }) ? Math.min(steps + refine, TYPICAL_STEPS) : steps + refine;
