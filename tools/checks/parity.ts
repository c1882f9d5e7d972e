/**
 * @file Compares this project's graphs with a golden.json (format: golden/README.md): logits, activations,
 * the gradient to an injected vector, the Adam trajectory, greedy tokens and the gated read. Runs on any device,
 * so the same check serves Node, wasm and WebGPU.
 */

import type { ForwardOptions } from "../../src/graph/programs/forward.ts";
import { encodeStep } from "../../src/graph/programs/train.ts";
import { naiveStep } from "./naiveStep.ts";
import type { Graph } from "../../src/graph/ir.ts";
import type { Decoder } from "../../src/graph/models/decoder.ts";
import type { Device, DeviceTensor } from "../../src/runtime/device.ts";
import { decode, type Golden } from "./golden.ts";
import { Programs } from "../../src/engine/programs.ts";
import { numbers, onlyLayers, pasts, Runner, type Feeds } from "../../src/engine/runner.ts";

/** One compared key. `error` is absolute unless `relative`; `wrong` counts unequal tokens or gates. */
export interface ParityRow {
  readonly key: string;
  readonly error: number;
  readonly tolerance: number;
  readonly ok: boolean;
}

/** Tolerances of golden/README.md; the trajectory gets the gradient's. */
const LOGITS = 2e-4;
const RELATIVE = 1e-3;

/** Checks every key of `golden` with `decoder`'s graphs on `device`. Disposes of nothing it was given. */
export async function parity(
  device: Device,
  decoder: Decoder,
  weights: ReadonlyMap<string, DeviceTensor>,
  golden: Golden,
): Promise<ParityRow[]> {
  const judge = new Judge(new Runner(new Programs(device, decoder, weights)), golden);
  await judge.plain();
  await judge.injection("gradient (upper layers only)", true);
  await judge.injection("gradient (whole model)", false);
  await judge.adam();
  await judge.greedy("plain", false);
  await judge.greedy("with delta", true);
  await judge.gatedRead();
  return judge.rows;
}

/** Step inputs that change nothing: rate 0, no stop. */
const IDLE = { rate: 0, correction1: 1, correction2: 1 };

/** Runs a model's graphs on golden inputs, and compares. */
export class Judge {
  readonly rows: ParityRow[] = [];

  constructor(
    readonly runner: Runner,
    readonly golden: Golden,
  ) {}

  get decoder(): Decoder {
    return this.runner.programs.decoder;
  }

  async plain(): Promise<void> {
    const { logits, down_proj_input } = this.golden;
    const out = await this.run();
    await this.compare("logits", out["logits"]!, decode(logits), LOGITS);
    for (const [layer, expected] of Object.entries(down_proj_input))
      await this.compare(`down_proj_input ${layer}`, out[`activation.${layer}`]!, decode(expected), LOGITS);
  }

  /** The plain model over the golden tokens: logits and every down projection's input. */
  run(): Promise<Feeds> {
    const { input_ids, down_proj_input } = this.golden;
    const taps = { layers: Object.keys(down_proj_input).map(Number), positions: "all" } as const;
    return this.forward(
      { name: "plain", batch: input_ids.length, head: "all", taps },
      this.tokens(input_ids),
    );
  }

  async injection(label: string, upper: boolean): Promise<void> {
    const { gradient, loss_per_row } = this.golden.injection;
    const out = await this.step(upper);
    await this.compare(`${label}: loss`, out["loss"]!, Float32Array.from(loss_per_row), RELATIVE, true);
    await this.compare(label, out["gradient"]!, decode(gradient), RELATIVE, true);
  }

  /** One training step from the golden delta that changes nothing. */
  async step(upper: boolean): Promise<Feeds> {
    const step = await this.stepper(upper);
    return step(decode(this.golden.injection.delta), IDLE);
  }

  async adam(): Promise<void> {
    const { adam, injection } = this.golden;
    const step = await this.stepper(true);
    let state: Record<string, Float32Array> = { delta: new Float32Array(decode(injection.delta).length) };
    let worst = 0;
    for (const [t, expected] of adam.loss_per_step_per_row.entries()) {
      const corrections = {
        correction1: 1 / (1 - adam.beta1 ** (t + 1)),
        correction2: 1 / (1 - adam.beta2 ** (t + 1)),
      };
      const out = await step(state["delta"]!, { ...IDLE, ...corrections, rate: adam.lr }, state);
      const losses = await out["loss"]!.read();
      expected.forEach((loss, i) => (worst = Math.max(worst, Math.abs(Number(losses[i]) - loss) / loss)));
      state = {
        delta: (await out["delta.next"]!.read()) as Float32Array,
        m: (await out["m.next"]!.read()) as Float32Array,
        v: (await out["v.next"]!.read()) as Float32Array,
      };
    }
    this.add("adam losses", worst, RELATIVE);
    // Adam divides by the root of tiny second moments: components whose gradient is noise differ first.
    this.add("adam delta", relative(state["delta"]!, decode(adam.delta)), 10 * RELATIVE);
  }

  async greedy(label: "plain" | "with delta", injected: boolean): Promise<void> {
    const { greedy, input_ids, injection } = this.golden;
    const expected = injected ? greedy.with_delta : greedy.plain;
    const batch = input_ids.length;
    const prompt = input_ids.map((row) => row.slice(0, greedy.prompt_length));
    const first = await this.forward(
      { name: `prefill.${injected}`, batch, head: "next", cache: true, inject: injected },
      { ...this.tokens(prompt), ...(injected ? this.at(greedy.prompt_length, decode(injection.delta)) : {}) },
    );
    const produced = [await numbers(first["next"]!)];
    let cache = pasts(first);
    for (let t = 1; t < expected[0]!.length; t++) {
      const past = greedy.prompt_length + t - 1;
      const ids = produced.at(-1)!.map((id) => [id]);
      const out = await this.forward(
        { name: "decode", batch, past: true, head: "next", cache: true },
        { ...this.tokens(ids, past), ...cache },
      );
      produced.push(await numbers(out["next"]!));
      cache = pasts(out);
    }
    const wrong = expected.flatMap((row, i) => row.filter((id, t) => produced[t]![i] !== id)).length;
    this.add(`greedy ${label}: unequal tokens`, wrong, 0);
  }

  async gatedRead(): Promise<void> {
    const { input_ids, gated_read: g } = this.golden;
    const scalar = (value: number) => this.upload(new Float32Array([value]), [1]);
    const out = await this.forward(
      { name: "gated", batch: input_ids.length, head: "all", readAt: g.layer },
      {
        ...this.tokens(input_ids),
        keys: this.upload(decode(g.keys), g.keys.shape),
        centre: this.upload(new Float32Array(g.keys.shape[1]!), [1, g.keys.shape[1]!]),
        residuals: this.upload(decode(g.residuals), g.residuals.shape),
        beta: scalar(g.beta),
        theta: scalar(g.theta),
      },
    );
    await this.compare("gated similarity", out["similarity"]!, decode(g.similarity), LOGITS);
    // beta multiplies the error of a similarity inside the softmax.
    await this.compare("gated weights", out["weights"]!, decode(g.weights), g.beta * LOGITS);
    const open = await out["gate"]!.read();
    this.add("gated: wrong gates", g.gate_open.flat().filter((v, i) => v !== Number(open[i])).length, 0);
    await this.compare("gated injected", out["injected"]!, decode(g.injected), RELATIVE, true);
    await this.compare("gated logits", out["logits"]!, decode(g.logits), LOGITS);
  }

  /** A function that runs one training step from a given delta; `upper` picks the optimised graph. */
  async stepper(
    upper: boolean,
  ): Promise<
    (delta: Float32Array, rates: typeof IDLE, state?: Record<string, Float32Array>) => Promise<Feeds>
  > {
    const { injection, adam, input_ids } = this.golden;
    const batch = input_ids.length;
    const options = {
      batch,
      layer: injection.layer,
      beta1: adam.beta1,
      beta2: adam.beta2,
    };
    const { graph, feeds } = upper ? await this.upperStep(options) : this.wholeStep(options);
    const session = await this.runner.programs.session(graph.name, () => graph);
    const width = this.decoder.config.dModel;
    return (delta, rates, state = {}) => {
      const moments = (name: string) =>
        this.upload(state[name] ?? new Float32Array(batch * width), [batch, width]);
      const scalars = Object.entries(rates).map(([k, v]) => [
        k,
        this.upload(new Float32Array(batch).fill(v), [batch, 1]),
      ]);
      return session.run({
        ...feeds,
        ...(Object.fromEntries(scalars) as Feeds),
        delta: this.upload(delta, [batch, width]),
        m: moments("m"),
        v: moments("v"),
        stop: this.upload(new Float32Array(batch), [batch, 1]),
      });
    };
  }

  wholeStep(options: StepDimensions): { graph: Graph; feeds: Feeds } {
    const { input_ids, injection } = this.golden;
    const time = input_ids[0]!.length;
    const at = new Float32Array(options.batch * time);
    injection.position.forEach((p, row) => (at[row * time + p] = 1));
    return {
      graph: naiveStep(this.decoder, { name: "naive", ...options }),
      feeds: {
        ...this.tokens(input_ids),
        at: this.upload(at, [options.batch, time, 1]),
        ...this.targets(time),
      },
    };
  }

  /**
   * The optimised step needs every row to start at its key token, which differs from row to row here: the rows are
   * shifted so that all key tokens share a column, as the engine does with prompts of different lengths.
   */
  async upperStep(options: StepDimensions): Promise<{ graph: Graph; feeds: Feeds }> {
    const { input_ids, injection } = this.golden;
    const { batch, layer } = options;
    const prefix = Math.max(...injection.position);
    const pads = injection.position.map((p) => prefix - p);
    const before = input_ids.map((row, i) => [
      ...new Array<number>(pads[i]!).fill(0),
      ...row.slice(0, injection.position[i]),
    ]);
    const window = Math.max(...input_ids.map((row, i) => row.length - injection.position[i]!));
    const after = input_ids.map((row, i) => {
      const rest = row.slice(injection.position[i]);
      return [...rest, ...new Array<number>(window - rest.length).fill(0)];
    });
    const prefixRun = await this.forward(
      { name: "prefix", batch, cache: true },
      this.tokens(before, 0, pads),
    );
    const past = pasts(prefixRun);
    const lower = await this.forward(
      { name: "lower", batch, past: true, until: layer },
      { ...this.tokens(after, prefix, pads), ...onlyLayers(past, (i) => i <= layer) },
    );
    const first = new Float32Array(window);
    first[0] = 1;
    const length = input_ids[0]!.length;
    return {
      graph: encodeStep(this.decoder, { name: "upper", suffix: 1, ...options }),
      feeds: {
        ...this.runner.attention({ pads, past: prefix, time: window, length }),
        ...onlyLayers(past, (i) => i > layer),
        hidden: lower["hidden"]!,
        first: this.upload(first, [1, window, 1]),
        ...this.targets(window, injection.position),
      },
    };
  }

  /** "targets" and "mask", aligned to the position that predicts each token; rows start at their `starts` column. */
  targets(count: number, starts: readonly number[] = []): Feeds {
    const { input_ids, injection } = this.golden;
    const targets = new Int32Array(input_ids.length * count);
    const mask = new Float32Array(targets.length);
    for (const [row, ids] of input_ids.entries())
      for (let t = 0; t < injection.value_length[row]!; t++) {
        const column = injection.first_value_position + t - 1 - (starts[row] ?? 0);
        targets[row * count + column] = ids[injection.first_value_position + t]!;
        mask[row * count + column] = 1;
      }
    return {
      targets: this.runner.programs.device.upload(targets, "int32", [input_ids.length, count], "activation"),
      mask: this.upload(mask, [input_ids.length, count]),
    };
  }

  /** "delta" and "at" for an injection at the golden layer and positions. */
  at(time: number, delta: Float32Array): Feeds {
    const { injection } = this.golden;
    const { layers, dModel } = this.decoder.config;
    const at = new Float32Array(injection.position.length * time * layers);
    injection.position.forEach((p, row) => (at[(row * time + p) * layers + injection.layer] = 1));
    const batch = injection.position.length;
    return { at: this.upload(at, [batch, time, layers]), delta: this.upload(delta, [batch, dModel]) };
  }

  /** "ids" and the frame of a run over `rows` after `past` columns. */
  tokens(rows: readonly (readonly number[])[], past = 0, pads: readonly number[] = rows.map(() => 0)): Feeds {
    return this.runner.tokens(rows, { pads, past, length: this.golden.input_ids[0]!.length });
  }

  forward(options: ForwardOptions, feeds: Feeds): Promise<Feeds> {
    return this.runner.forward(options, feeds);
  }

  upload(data: Float32Array, dims: readonly number[]): DeviceTensor {
    return this.runner.floats(data, dims);
  }

  async compare(
    key: string,
    tensor: DeviceTensor,
    expected: Float32Array,
    tolerance: number,
    isRelative = false,
  ) {
    const got = (await tensor.read()) as Float32Array;
    this.add(key, (isRelative ? relative : absolute)(got, expected), tolerance);
  }

  add(key: string, error: number, tolerance: number): void {
    this.rows.push({ key, error, tolerance, ok: error <= tolerance });
  }
}

type StepDimensions = {
  readonly batch: number;
  readonly layer: number;
  readonly beta1: number;
  readonly beta2: number;
};

/** Largest absolute difference; NaN or a wrong count is infinite. */
function absolute(got: ArrayLike<number>, expected: Float32Array): number {
  if (got.length !== expected.length) return Infinity;
  let worst = 0;
  for (let i = 0; i < expected.length; i++) {
    const difference = Math.abs(got[i]! - expected[i]!);
    worst = Number.isNaN(difference) ? Infinity : Math.max(worst, difference);
  }
  return worst;
}

/** Largest absolute difference over the largest expected magnitude. */
function relative(got: ArrayLike<number>, expected: Float32Array): number {
  return absolute(got, expected) / expected.reduce((most, v) => Math.max(most, Math.abs(v)), 0);
}
