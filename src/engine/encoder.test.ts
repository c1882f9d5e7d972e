/** @file Encoding batches: gradients, ages, frozen rows and own words, each against a computation of its own. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { recallPrompt, valueTokens } from "../memory/parts.ts";
import type { AdamState, Encoder, EncoderOptions, EncodeRow, StepRow } from "./engine.ts";
import { openEncoder } from "./encoder.ts";
import { disposeAll, type Runner } from "./runner.ts";
import { vector, type Opened } from "./testing/models.ts";
import { bundled, leavesNothing } from "./testing/useBundled.ts";

const OPTIONS: EncoderOptions = { layer: 2, beta1: 0.9, beta2: 0.999 };
const FREE: StepRow = { rate: 0.2, step: 1, stop: false };

let opened: Opened;
let runner: Runner;
beforeAll(async () => {
  opened = await bundled();
  runner = opened.engine.runner;
});
afterAll(() => leavesNothing(opened));

const SENTENCES = [
  ["Mary", "Mary moved to the garden."],
  ["Sandra", "Sandra went back to the kitchen."],
  ["the old Duchy", "The old Duchy was sold in 1204."],
] as const;

function row(n: number, state?: AdamState): EncodeRow {
  const [anchor, value] = SENTENCES[n]!;
  const key = { anchor, index: n + 1 };
  const prompt = recallPrompt(opened.engine, key);
  return { prompt, targets: valueTokens(opened.engine, key, prompt, value), ...(state ? { state } : {}) };
}

/** A state as if some steps had been taken. */
function started(seed: number): AdamState {
  const { dModel } = runner.config;
  return {
    delta: vector(dModel, seed, 0.5),
    m: vector(dModel, seed + 1, 0.1),
    v: vector(dModel, seed + 2, 0.1).map((x) => x * x),
  };
}

async function withEncoder<T>(
  rows: readonly EncodeRow[],
  body: (encoder: Encoder) => Promise<T>,
  options = OPTIONS,
): Promise<T> {
  const before = opened.device.ledger.bytes;
  const encoder = await openEncoder(runner, rows, options);
  try {
    return await body(encoder);
  } finally {
    encoder.dispose();
    expect({ ...opened.device.ledger.bytes, weights: 0 }).toEqual({ ...before, weights: 0 });
  }
}

function closeTo(got: Float32Array, expected: ArrayLike<number>, relative: number): void {
  expect(got.length).toBe(expected.length);
  const scale = Math.max(...Array.from(expected, Math.abs));
  const largest = Math.max(...got.map((value, i) => Math.abs(value - expected[i]!)));
  expect(largest).toBeLessThanOrEqual(relative * scale);
}

describe("a step", () => {
  it("gives each row of a batch the gradient it has alone", async () => {
    const rows = [0, 1, 2].map((n) => row(n, { ...started(n + 10), m: new Float32Array(256) }));
    const gradients = (states: AdamState[]) => states.map(({ m }) => m.map((x) => x / 0.1)); // m = (1 - beta1) g
    const together = await withEncoder(rows, async (encoder) => {
      const result = await encoder.step(rows.map(() => FREE));
      return { ...result, g: gradients(await encoder.state()) };
    });
    for (const [i, one] of rows.entries())
      await withEncoder([one], async (encoder) => {
        const { losses, hits } = await encoder.step([FREE]);
        expect(losses[0]! / together.losses[i]!).toBeCloseTo(1, 5);
        expect(hits[0]).toEqual(together.hits[i]);
        closeTo(gradients(await encoder.state())[0]!, together.g[i]!, 1e-4);
      });
  });

  it("is Adam's, with each row's own age and rate", async () => {
    const states = [started(20), started(30), started(40)];
    const steps: StepRow[] = [
      { ...FREE, step: 1 },
      { ...FREE, step: 7, rate: 0.05 },
      { ...FREE, step: 30 },
    ];
    const after = await withEncoder(
      states.map((state, n) => row(n, state)),
      async (encoder) => {
        await encoder.step(steps);
        return encoder.state();
      },
    );
    for (const [n, { delta, m, v }] of after.entries()) {
      const [from, { rate, step }] = [states[n]!, steps[n]!];
      const g = m.map((x, i) => (x - 0.9 * from.m[i]!) / 0.1);
      const nextV = g.map((x, i) => 0.999 * from.v[i]! + 0.001 * x * x);
      closeTo(v, nextV, 1e-4);
      const stepped = from.delta.map((d, i) => {
        const [mHat, vHat] = [m[i]! / (1 - 0.9 ** step), v[i]! / (1 - 0.999 ** step)];
        return d - (rate * mHat) / (Math.sqrt(vHat) + 1e-8);
      });
      closeTo(delta, stepped, 1e-5);
    }
  });

  it("leaves a row with rate 0, and one that is frozen with all targets hit, as they are to the bit", async () => {
    const { delta } = await encoded(0);
    const frozen = { ...started(50), delta };
    const idle = started(60);
    const moving = started(70);
    const rows = [row(0, frozen), row(1, idle), row(2, moving)];
    await withEncoder(rows, async (encoder) => {
      for (let i = 0; i < 3; i++) {
        const { hits } = await encoder.step([
          { rate: 0.2, step: 5 + i, stop: true },
          { rate: 0, step: 1, stop: false },
          { rate: 0.2, step: 1 + i, stop: true },
        ]);
        expect(hits[0]!.every(Boolean)).toBe(true);
        expect(hits[2]!.every(Boolean)).toBe(false);
      }
      const [first, second, third] = await encoder.state();
      expect(first).toEqual(frozen);
      expect(second).toEqual(idle);
      expect(third!.delta).not.toEqual(moving.delta);
    });
  });
});

/** The state that makes sentence n exact, and the steps it took. */
async function encoded(n: number): Promise<AdamState> {
  return withEncoder([row(n)], async (encoder) => {
    for (let t = 1; t <= 40; t++) {
      const { hits } = await encoder.step([{ ...FREE, step: t, stop: true }]);
      if (hits[0]!.every(Boolean)) break;
    }
    return (await encoder.state())[0]!;
  });
}

/** Eq. 3 from the whole model's logits: ids = prompt, u without its last token; delta at the key token of layer 2. */
async function lossOf(
  { prompt, targets }: EncodeRow,
  prefix: readonly number[],
  delta: Float32Array,
): Promise<number> {
  const ids = [...prompt.ids, ...prefix.slice(0, -1)];
  const { layers, vocabulary } = runner.config;
  const at = new Float32Array(ids.length * layers);
  at[prompt.keyPosition * layers + OPTIONS.layer] = 1;
  const feeds = {
    ...runner.tokens([ids], { pads: [0], past: 0, length: ids.length }),
    at: runner.floats(at, [1, ids.length, layers]),
    delta: runner.floats(delta, [1, delta.length]),
  };
  const out = await runner.forward({ name: "test.loss", batch: 1, head: "all", inject: true }, feeds);
  const logits = (await out["logits"]!.read()) as Float32Array;
  disposeAll(feeds, out);
  return targets.reduce((sum, id, t) => {
    const start = (prompt.ids.length - 1 + t) * vocabulary;
    const column = logits.subarray(start, start + vocabulary);
    const most = column.reduce((a, b) => Math.max(a, b));
    const total = column.reduce((a, b) => a + Math.exp(b - most), 0);
    return sum - (column[id]! - most - Math.log(total));
  }, 0);
}

describe("the loss", () => {
  it("is Eq. 3 by the whole model, on the true prefix and on the model's own words", async () => {
    const rows = [row(0, started(80)), row(1, started(90))];
    await withEncoder(rows, async (encoder) => {
      const guided = await encoder.step(rows.map(() => ({ ...FREE, rate: 0 })));
      const own = rows.map(({ targets }) => targets.map((id) => (id * 7 + 3) % 4000));
      await encoder.feed(own);
      const refined = await encoder.step(rows.map(() => ({ ...FREE, rate: 0 })));
      for (const [i, one] of rows.entries()) {
        const { delta } = one.state!;
        expect(guided.losses[i]! / (await lossOf(one, one.targets, delta))).toBeCloseTo(1, 4);
        expect(refined.losses[i]! / (await lossOf(one, own[i]!, delta))).toBeCloseTo(1, 4);
      }
    });
  });
});

describe("a row that changes hands", () => {
  const ROOM = { prefix: 40, targets: 16 };
  it("holds the newcomer as it is in a batch of its own, and leaves the others where they were", async () => {
    const rows = [row(0, started(10)), row(1, started(20)), row(0, started(30))];
    const newcomers = [row(2, started(40)), row(1)];
    await withEncoder(
      rows,
      async (encoder) => {
        await encoder.step(rows.map(() => FREE));
        const before = await encoder.state();
        await encoder.replace([
          { row: 2, fact: newcomers[0]! },
          { row: 0, fact: newcomers[1]! },
        ]);
        const zero = new Float32Array(runner.config.dModel);
        const after = await encoder.state();
        expect(after[1]).toEqual(before[1]);
        expect(after[2]).toEqual(newcomers[0]!.state);
        expect(after[0]).toEqual({ delta: zero, m: zero, v: zero });
        const now = [newcomers[1]!, { ...rows[1]!, state: before[1]! }, newcomers[0]!];
        const together = await encoder.step(now.map(() => FREE));
        const states = await encoder.state();
        for (const [i, one] of now.entries())
          await withEncoder([one], async (alone) => {
            const { losses, hits } = await alone.step([FREE]);
            expect(losses[0]! / together.losses[i]!).toBeCloseTo(1, 5);
            expect(hits[0]).toEqual(together.hits[i]);
            closeTo((await alone.state())[0]!.m, states[i]!.m, 1e-4);
          });
      },
      { ...OPTIONS, room: ROOM },
    );
  });

  it("takes more newcomers than one run can read, and own words after them", async () => {
    const rows = Array.from({ length: 12 }, (_, i) => row(i % 3, started(i)));
    await withEncoder(
      rows,
      async (encoder) => {
        const changes = rows
          .slice(0, 11)
          .map((_, i) => ({ row: i, fact: row(2 - (i % 3), started(50 + i)) }));
        await encoder.replace(changes);
        const own = [...changes.map(({ fact }) => fact), rows[11]!].map(({ targets }) =>
          targets.map((id) => (id * 7 + 3) % 4000),
        );
        await encoder.feed(own);
        const { losses } = await encoder.step(rows.map(() => ({ ...FREE, rate: 0 })));
        for (const i of [0, 7, 10]) {
          const { fact } = changes[i]!;
          expect(losses[i]! / (await lossOf(fact, own[i]!, fact.state!.delta))).toBeCloseTo(1, 4);
        }
        expect(losses[11]! / (await lossOf(rows[11]!, own[11]!, rows[11]!.state!.delta))).toBeCloseTo(1, 4);
      },
      { ...OPTIONS, room: ROOM },
    );
  });

  it("is refused where the newcomer does not fit", async () => {
    await withEncoder([row(0), row(1)], async (encoder) => {
      const long = { ...row(2), targets: Array<number>(30).fill(5) };
      await expect(encoder.replace([{ row: 0, fact: long }])).rejects.toThrow(
        /30 in its value does not fit a batch/,
      );
      await expect(encoder.replace([{ row: 2, fact: row(0) }])).rejects.toThrow(
        /there is no row 2 in a batch of 2 facts/,
      );
    });
  });
});

describe("a batch is refused", () => {
  it.each<[string, (r: EncodeRow) => EncodeRow[], string]>([
    ["without a fact", () => [], "needs at least one fact"],
    ["of too many facts", (r) => Array<EncodeRow>(65).fill(r), "65 facts in a batch, at most 64"],
    ["with a value of no tokens", (r) => [{ ...r, targets: [] }], "a value without tokens"],
    [
      "with prompts that end differently",
      (r) => [r, { ...r, prompt: { ...r.prompt, keyPosition: r.prompt.keyPosition - 1 } }],
      "batch them apart",
    ],
    [
      "with a fact longer than the window",
      (r) => [{ ...r, targets: Array<number>(2044).fill(5) }],
      "a fact with its recall prompt has 20",
    ],
    [
      "with own words that are not as many as the value's",
      (r) => [{ ...r, prefix: r.targets.slice(1) }],
      "a prefix of 5 tokens for 6 target tokens",
    ],
  ])("%s", async (_, rows, message) => {
    const before = opened.device.ledger.bytes;
    await expect(openEncoder(runner, rows(row(0)), OPTIONS)).rejects.toThrow(message);
    expect({ ...opened.device.ledger.bytes, weights: 0 }).toEqual({ ...before, weights: 0 });
  });

  it("at a layer the model does not have, or whose delta no later token sees", async () => {
    const { layers } = opened.engine.model;
    for (const layer of [-1, layers - 1, layers, 1.5])
      await expect(openEncoder(runner, [row(0)], { ...OPTIONS, layer })).rejects.toThrow(
        `engine: facts cannot be encoded at layer ${layer}; a model of ${layers} layers stores them at 0 to ${layers - 2}`,
      );
  });
});

it("counts a target as hit from the batch's margin on", async () => {
  const layer = 5;
  const fact = row(0);
  const [delta] = await opened.engine.write([{ layer, targets: fact.targets }]);
  const still = new Float32Array(delta!.length);
  const state = { delta: delta!, m: still, v: still };
  const { prompt, targets } = fact;
  const [checked] = await opened.engine.check([{ prompt, targets, injection: { layer, residual: delta! } }]);
  const hits = (margin: number) =>
    withEncoder([{ ...fact, state }], (encoder) => encoder.step([{ ...FREE, rate: 0 }]), {
      ...OPTIONS,
      ...{ layer, margin },
    });
  expect((await hits(0.98 * checked!.margin)).hits[0]).not.toContain(false);
  expect((await hits(1.02 * checked!.margin)).hits[0]!.filter((hit) => !hit)).toHaveLength(1);
  expect((await hits(100)).hits[0]).not.toContain(true);
});

it("checks parts behind the opening of all prompts as it does from their first token", async () => {
  const rows = [row(0), row(1), row(2)];
  const deltas = await opened.engine.write(rows.map(({ targets }) => ({ layer: 4, targets })));
  const parts = rows.map(({ prompt, targets }, i) => ({
    ...{ prompt, targets },
    injection: { layer: 4, residual: deltas[i]! },
  }));
  expect(new Set(parts.map(({ prompt }) => prompt.opening))).toEqual(
    new Set([opened.engine.encode("Recall the fact about").length]),
  );
  const plain = parts.map(({ prompt: { ids, keyPosition }, ...part }) => ({
    ...part,
    prompt: { ids, keyPosition },
  }));
  const [behind, whole] = [await opened.engine.check(parts), await opened.engine.check(plain)];
  for (const [i, { margin, reading }] of whole.entries()) {
    expect(margin).toBeGreaterThan(1);
    expect(behind[i]!.margin).toBeCloseTo(margin, 3);
    closeTo(behind[i]!.reading.activation, reading.activation, 1e-4);
  }
});
