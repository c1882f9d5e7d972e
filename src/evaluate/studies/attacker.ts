/** @file An attacker with the model and a memory: how well does it say a given sentence? A larger score speaks for "was stored". */

import type { Engine, RecallPrompt } from "../../engine/engine.ts";
import { chunks, groupBy } from "../../lib/group.ts";
import { largest, mean, softmax } from "../../lib/stats.ts";
import { dot } from "../../lib/vector.ts";
import { addressOf, centreOf } from "../../memory/layers.ts";
import { tokenF1 } from "../../memory/fidelity.ts";
import { recallPrompt, valueTokens, MOMENTS } from "../../memory/parts.ts";
import { openReader } from "../../memory/read.ts";
import type { Fact, PlannedFact } from "../../records/fact.ts";
import { layerIndex, type LayerIndex } from "../../records/ids.ts";
import type { Memory, MemoryEntry } from "../../records/memory.ts";

/** A sentence that may have been stored, with the key and the layer that it would have had. */
export type Suspect = PlannedFact;

/** Neighbours by key whose residuals are tried. */
const NEAREST = 8;
const SEARCH_STEPS = 8;
/** Inverse temperatures of a soft read: two that mix many residuals, and the paper's. */
const BETAS = [1, 5, 50];

const SUBJECTS = [
  "",
  "In short, ",
  "Remember: ",
  "From memory, ",
  "Once more: ",
  "As the text has it, ",
  "Word for word, ",
  "Tell me: ",
  "Please: ",
  "Note: ",
];
const REQUESTS = [
  "what is known of {e}?",
  "the sentence about {e} is",
  "{e}:",
  "who or what is {e}?",
  "what is written about {e}?",
  "continue: {e}",
  "the deleted note on {e} reads",
  "what happened to {e}?",
  "recall {e}.",
  "{e} again:",
];
const ENDS = ["", " Answer:"];

/** 200 wordings of a question for a key. */
const PARAPHRASES = SUBJECTS.flatMap((subject) =>
  REQUESTS.flatMap((request) => ENDS.map((end) => `${subject}${request}${end}`)),
);

export class Attacker {
  readonly #entries: ReadonlyMap<number, readonly MemoryEntry[]>;

  constructor(
    private readonly engine: Engine,
    private readonly memory: Memory,
  ) {
    this.#entries = groupBy(memory.entries, ({ layer }) => layer as number);
  }

  /** Token F1 of the reply to the recall prompt with the sentence. */
  async prompt(suspects: readonly Suspect[]): Promise<number[]> {
    const { engine, memory } = this;
    const reader = openReader(engine, memory, memory.params);
    try {
      const targets = suspects.map(({ fact, layer }) => {
        const stored = memory.entries.filter(({ id }) => id === fact.id);
        return stored.length > 0 ? stored : [{ ...fact, layer, part: 1, start: 0, tokens: this.#part }];
      });
      const said = await reader.recall(targets);
      return suspects.map(({ fact }, i) =>
        tokenF1(said[i]!.tokens, this.#tokens(fact, recallPrompt(engine, fact))),
      );
    } finally {
      reader.dispose();
    }
  }

  /** Gain of the sentence's log-likelihood per token by the residual of the nearest key, whatever its similarity. */
  async openGate({ fact, layer }: Suspect): Promise<number> {
    return this.#gainOfNearest(fact, layer, 1);
  }

  async otherResiduals({ fact, layer }: Suspect): Promise<number> {
    return this.#gainOfNearest(fact, layer, NEAREST);
  }

  /** As {@link openGate} with the keys of other indices and of a second part, and the residuals nearest to both keys. */
  async otherKeys({ fact, layer }: Suspect): Promise<number> {
    const { anchor, index } = fact;
    const own = await this.#nearest(recallPrompt(this.engine, fact), layer, 1);
    const keys = [
      { anchor, index: index + 1 },
      { anchor, index: Math.max(1, index - 1) },
      { anchor, index, part: 2 },
    ];
    const gains = [];
    for (const key of keys) {
      const prompt = recallPrompt(this.engine, key);
      const near = [...own, ...(await this.#nearest(prompt, layer, 1))];
      gains.push(await this.#gain(this.#tokens(fact, prompt), prompt, layer, near));
    }
    return Math.max(...gains);
  }

  /** As {@link openGate} with 200 other wordings of the prompt. */
  async paraphrases({ fact, layer }: Suspect): Promise<number> {
    const asked = recallPrompt(this.engine, fact);
    const tokens = this.#tokens(fact, asked);
    const near = await this.#nearest(asked, layer, 1);
    let best = -Infinity;
    for (const wording of PARAPHRASES) {
      const ids = this.engine.encode(wording.replace("{e}", () => fact.anchor));
      const prompt = { ids, keyPosition: ids.length - 1 };
      best = Math.max(best, await this.#gain(tokens, prompt, layer, near));
    }
    return best;
  }

  /** As {@link openGate} with the residuals of the layer mixed by a flat softmax over their similarities. */
  async softRead({ fact, layer }: Suspect): Promise<number> {
    const prompt = recallPrompt(this.engine, fact);
    const entries = this.#entries.get(layer) ?? [];
    const similarities = await this.#similarities(prompt, layer);
    const tokens = this.#tokens(fact, prompt);
    const found = [];
    for (const beta of BETAS) {
      const weights = softmax(similarities, beta);
      const mixed = new Float32Array(this.engine.model.dModel);
      for (const [i, { residual }] of entries.entries())
        for (const [d, x] of residual.entries()) mixed[d]! += weights[i]! * x;
      found.push(await this.#likelihood(prompt, tokens, layer, mixed));
    }
    return Math.max(...found) - (await this.#likelihood(prompt, tokens, layer, null));
  }

  /** Loss after a few of Adam's steps that begin at the residual of the nearest key, negated. */
  async gradientSearch(suspects: readonly Suspect[]): Promise<number[]> {
    const { engine } = this;
    const { learningRate, schedule } = this.memory.params;
    const losses = new Map<Suspect, number>();
    for (const [layer, own] of groupBy(suspects, (one) => one.layer))
      for (const group of chunks(own, 16)) {
        const rows = await Promise.all(
          group.map(async ({ fact }) => {
            const prompt = recallPrompt(engine, fact);
            const [nearest] = await this.#nearest(prompt, layer, 1);
            const zero = new Float32Array(engine.model.dModel);
            const state = { delta: nearest?.residual.slice() ?? zero, m: zero.slice(), v: zero.slice() };
            return { prompt, targets: this.#tokens(fact, prompt), state };
          }),
        );
        const encoder = await engine.openEncoder(rows, { layer, ...MOMENTS[schedule] });
        try {
          for (let step = 1; step <= SEARCH_STEPS; step++) {
            const found = await encoder.step(rows.map(() => ({ rate: learningRate, step, stop: false })));
            for (const [i, one] of group.entries()) losses.set(one, found.losses[i]!);
          }
        } finally {
          encoder.dispose();
        }
      }
    return suspects.map((one) => -losses.get(one)!);
  }

  /** Distance from the writer's δ for the sentence to the nearest residual of the layer, negated. */
  async writersGuess(suspects: readonly Suspect[]): Promise<number[]> {
    const parts = suspects.map(({ fact, layer }) => ({
      layer,
      targets: this.#tokens(fact, recallPrompt(this.engine, fact)),
    }));
    const deltas = await this.engine.write(parts);
    return deltas.map((delta, i) => {
      if (!delta) return 0;
      const length = Math.sqrt(dot(delta, delta));
      const near = (this.#entries.get(suspects[i]!.layer) ?? []).map(({ residual }) => {
        const squared = dot(residual, residual) + length ** 2 - 2 * dot(residual, delta);
        return Math.sqrt(Math.max(0, squared)) / length;
      });
      return -Math.min(...near, 10);
    });
  }

  get #part(): number {
    return this.engine.writer?.part ?? 14;
  }

  /** The tokens of a sentence's beginning, as many as one vector holds. */
  #tokens(fact: Fact, prompt: RecallPrompt): number[] {
    return valueTokens(this.engine, fact, prompt, fact.value).slice(0, this.#part);
  }

  async #gainOfNearest(fact: Fact, layer: LayerIndex, count: number): Promise<number> {
    const prompt = recallPrompt(this.engine, fact);
    return this.#gain(this.#tokens(fact, prompt), prompt, layer, await this.#nearest(prompt, layer, count));
  }

  /** How much the best of `entries` adds to the log-likelihood of `tokens` behind the prompt. */
  async #gain(
    tokens: readonly number[],
    prompt: RecallPrompt,
    layer: LayerIndex,
    entries: readonly MemoryEntry[],
  ): Promise<number> {
    const found = [];
    for (const { residual } of entries) found.push(await this.#likelihood(prompt, tokens, layer, residual));
    return Math.max(...found, -100) - (await this.#likelihood(prompt, tokens, layer, null));
  }

  async #similarities(prompt: RecallPrompt, layer: LayerIndex): Promise<number[]> {
    const [readings] = await this.engine.readKeys([prompt], [layer]);
    const address = addressOf(readings![0]!.activation, centreOf(this.memory.centres, layer), "a guess");
    return (this.#entries.get(layer) ?? []).map(({ key }) => dot(key, address));
  }

  async #nearest(prompt: RecallPrompt, layer: LayerIndex, count: number): Promise<MemoryEntry[]> {
    const entries = this.#entries.get(layer) ?? [];
    return largest(await this.#similarities(prompt, layer), count).map((i) => entries[i]!);
  }

  /** Mean log-probability of `tokens` behind the prompt, with a residual injected at its key token. */
  async #likelihood(
    { ids, keyPosition }: RecallPrompt,
    tokens: readonly number[],
    layer: number,
    residual: Float32Array | null,
  ): Promise<number> {
    const [readings] = await this.engine.lens({
      ids: [...ids, ...tokens.slice(0, -1)],
      injection: residual && { layer, position: keyPosition, residual },
      at: tokens.map((token, i) => ({ position: ids.length - 1 + i, tokens: [token] })),
      top: 1,
      layers: [layerIndex(this.engine.model.layers - 1)],
    });
    return mean(readings!.map(({ asked }) => asked[0]!.logProbability));
  }
}
