/** @file Attacks with the model and a memory: how well does it say a given sentence? A larger score speaks for "was stored". */

import type { Engine } from "../../engine/engine.ts";
import { groupBy } from "../../lib/group.ts";
import { largest, mean, softmax } from "../../lib/stats.ts";
import { dot, norm } from "../../lib/vector.ts";
import { addressOf, centreOf } from "../../memory/layers.ts";
import { tokenF1 } from "../../memory/fidelity.ts";
import { recallPrompt, valueTokens, MOMENTS } from "../../memory/parts.ts";
import { openReader } from "../../memory/read.ts";
import { assignLayers } from "../../plan/layers.ts";
import type { Fact } from "../../records/fact.ts";
import { layerIndex, type LayerIndex } from "../../records/ids.ts";
import type { Memory } from "../../records/memory.ts";
import words from "./words.json" with { type: "json" };

/** Neighbours by key whose residuals are tried. */
const NEAREST = 8;
const SEARCH_STEPS = 8;
/** Inverse temperatures of a soft read: two that mix many residuals, and the paper's. */
const BETAS = [1, 5, 50];

/** 200 wordings of a question for a key. */
const PARAPHRASES = words.subjects.flatMap((subject) =>
  words.requests.flatMap((request) => words.ends.map((end) => `${subject}${request}${end}`)),
);

/** The layer that fits the index of a fact. */
export const layerFor = (fact: Fact, { layers, params }: Memory): LayerIndex =>
  assignLayers([fact], layers, params)[0]!.layer;

/** Each takes a sentence that may have been stored, with the index that it would have had. */
export function modelAttacks(engine: Engine, memory: Memory) {
  const entriesOf = groupBy(memory.entries, ({ layer }) => layer);
  const longest = engine.writer?.part ?? 14;

  /** A prompt with the entries of the fact's layer, and the tokens of its beginning, as many as one vector holds. */
  function ask(fact: Fact, prompt = recallPrompt(engine, fact)) {
    const tokens = valueTokens(engine, fact, prompt, fact.value).slice(0, longest);
    const layer = layerFor(fact, memory);
    return { layer, prompt, tokens, entries: entriesOf.get(layer) ?? [] };
  }
  type Asked = ReturnType<typeof ask>;

  async function similarities({ prompt, layer, entries }: Asked): Promise<number[]> {
    const [readings] = await engine.readKeys([prompt], [layer]);
    const address = addressOf(readings![0]!.activation, centreOf(memory.centres, layer), "a guess");
    return entries.map(({ key }) => dot(key, address));
  }

  /** The residuals of the nearest keys, whatever their similarity. */
  const nearest = async (asked: Asked, count = 1): Promise<Float32Array[]> =>
    largest(await similarities(asked), count).map((i) => asked.entries[i]!.residual);

  /** Mean log-probability of the tokens behind the prompt, with a residual injected at its key token. */
  async function likelihood({ prompt, tokens, layer }: Asked, residual: Float32Array | null) {
    const { ids, keyPosition: position } = prompt;
    const [readings] = await engine.lens({
      ids: [...ids, ...tokens.slice(0, -1)],
      injection: residual && { layer, position, residual },
      at: tokens.map((token, i) => ({ position: ids.length - 1 + i, tokens: [token] })),
      top: 1,
      layers: [layerIndex(engine.model.layers - 1)],
    });
    return mean(readings!.map(({ asked }) => asked[0]!.logProbability));
  }

  /** How much the best of the residuals adds to the likelihood. */
  async function gain(asked: Asked, residuals: readonly Float32Array[]): Promise<number> {
    const found = [];
    for (const residual of residuals) found.push(await likelihood(asked, residual));
    return Math.max(...found, -100) - (await likelihood(asked, null));
  }

  async function gainOfNearest(fact: Fact, count: number): Promise<number> {
    const asked = ask(fact);
    return gain(asked, await nearest(asked, count));
  }

  return {
    /** Token F1 of the reply to the recall prompt with the sentence. */
    async prompt(fact: Fact): Promise<number> {
      const asked = ask(fact);
      const stored = memory.entries.filter(({ id }) => id === fact.id);
      const guess = { ...fact, layer: asked.layer, part: 1, start: 0, tokens: longest };
      const reader = openReader(engine, memory, memory.params);
      try {
        const [said] = await reader.recall([stored.length > 0 ? stored : [guess]]);
        return tokenF1(said!.tokens, asked.tokens);
      } finally {
        reader.dispose();
      }
    },

    "open-gate": (fact: Fact) => gainOfNearest(fact, 1),

    "other-residuals": (fact: Fact) => gainOfNearest(fact, NEAREST),

    /** The keys of other indices and of a second part, with the residuals nearest to both keys. */
    async "other-keys"(fact: Fact): Promise<number> {
      const { anchor, index } = fact;
      const own = await nearest(ask(fact));
      const gains = [];
      for (const key of [{ index: index + 1 }, { index: Math.max(1, index - 1) }, { index, part: 2 }]) {
        const asked = ask(fact, recallPrompt(engine, { anchor, ...key }));
        gains.push(await gain(asked, [...own, ...(await nearest(asked))]));
      }
      return Math.max(...gains);
    },

    async paraphrases(fact: Fact): Promise<number> {
      const asked = ask(fact);
      const near = await nearest(asked);
      const gains = [];
      for (const wording of PARAPHRASES) {
        const ids = engine.encode(wording.replace("{e}", () => fact.anchor));
        gains.push(await gain({ ...asked, prompt: { ids, keyPosition: ids.length - 1 } }, near));
      }
      return Math.max(...gains);
    },

    /** The residuals of the layer, mixed by a flat softmax over their similarities. */
    async "soft-read"(fact: Fact): Promise<number> {
      const asked = ask(fact);
      const near = await similarities(asked);
      const mixed = BETAS.map((beta) => {
        const weights = softmax(near, beta);
        const sum = new Float32Array(engine.model.dModel);
        for (const [i, { residual }] of asked.entries.entries())
          for (const [d, x] of residual.entries()) sum[d]! += weights[i]! * x;
        return sum;
      });
      return gain(asked, mixed);
    },

    /** Loss after a few of Adam's steps that begin at the residual of the nearest key, negated. */
    async "gradient-search"(fact: Fact): Promise<number> {
      const { learningRate: rate, schedule } = memory.params;
      const asked = ask(fact);
      const { prompt, tokens: targets, layer } = asked;
      const zero = new Float32Array(engine.model.dModel);
      const [delta = zero] = await nearest(asked);
      const state = { delta: delta.slice(), m: zero.slice(), v: zero.slice() };
      const encoder = await engine.openEncoder([{ prompt, targets, state }], { layer, ...MOMENTS[schedule] });
      try {
        let loss = 0;
        for (let step = 1; step <= SEARCH_STEPS; step++)
          loss = (await encoder.step([{ rate, step, stop: false }])).losses[0]!;
        return -loss;
      } finally {
        encoder.dispose();
      }
    },

    /** Distance from the writer's δ for the sentence to the nearest residual of the layer, negated. */
    async "writers-guess"(fact: Fact): Promise<number> {
      const { layer, tokens: targets, entries } = ask(fact);
      const [delta] = await engine.write([{ layer, targets }]);
      if (!delta) return 0;
      const distanceTo = (residual: Float32Array): number => norm(residual.map((x, d) => x - delta[d]!));
      return -Math.min(...entries.map(({ residual }) => distanceTo(residual) / norm(delta)), 10);
    },
  };
}
