/** @file Sessions of one model on one device: every graph is built, serialised and compiled once. */

import { rawBytes } from "../lib/bytes.ts";
import { toOnnx } from "../graph/emit/onnx.ts";
import type { Graph } from "../graph/ir.ts";
import type { Decoder } from "../graph/models/decoder.ts";
import { assert, present } from "../lib/assert.ts";
import { once } from "../lib/promises.ts";
import { EncodeSessions } from "./encodeSessions.ts";
import { FixedSessions } from "./fixedSessions.ts";
import type { ModelSessions, SessionUse } from "./roles.ts";
import {
  sessionRegister,
  type Device,
  type DeviceTensor,
  type FixedSession,
  type FixedSessionOptions,
  type Session,
} from "../runtime/device.ts";

export class Programs implements ModelSessions {
  readonly fixed: FixedSessions;
  readonly encoding: EncodeSessions;
  rounds = true;
  recordsSteps: boolean;
  readonly #weights: Map<string, DeviceTensor>;
  readonly #sessions = new Map<string, Promise<Session>>();
  readonly #recorded = sessionRegister();

  constructor(
    readonly device: Device,
    readonly decoder: Decoder,
    weights: ReadonlyMap<string, DeviceTensor>,
  ) {
    // The self-test of the device covers f32.
    this.recordsSteps = (decoder.precision ?? "f32") === "f32";
    this.fixed = new FixedSessions(this);
    this.encoding = new EncodeSessions(this);
    this.#weights = new Map(weights);
  }

  add(weights: ReadonlyMap<string, DeviceTensor>): void {
    for (const [name, tensor] of weights) this.#weights.set(name, tensor);
  }

  /** Tokens per run: rounds keep a small model's cache in place (docs/runtime.md, 2); a large model must stay cancellable. */
  get tokensPerRun(): number {
    const { device, decoder } = this;
    const { precision = "f32" } = decoder;
    return device.loops && this.rounds && precision === "f32" && isSmall(this.#weights.values())
      ? MANY_TOKENS
      : 1;
  }

  /** How tokens are decoded on this device, for people; some reasons appear with the first prompt. */
  get decoding(): string {
    const { device, fixed, tokensPerRun } = this;
    if (tokensPerRun > 1) return `${tokensPerRun} tokens per run`;
    if (!device.createFixedSession) return "one token per run";
    return fixed.refused === undefined
      ? "recorded steps of one token"
      : `one token per run, since ${fixed.refused}`;
  }

  session(key: string, build: () => Graph, use: SessionUse = {}): Promise<Session> {
    return once(this.#sessions, key, () => this.#create(build(), use));
  }

  async recorded(
    graph: Graph,
    options: Omit<FixedSessionOptions, "name" | "weights">,
  ): Promise<FixedSession> {
    const { createFixedSession } = this.device;
    assert(createFixedSession, () => `engine: ${this.device.backend} records no commands of ${graph.name}`);
    const weights = this.weightsOf(graph);
    return this.#recorded.add(
      await createFixedSession(toOnnx(graph), { name: graph.name, weights, ...options }),
    );
  }

  weightsOf(graph: Graph): Record<string, DeviceTensor> {
    const lacking = (name: string) => `engine: graph ${graph.name} needs weight ${name}, which is not loaded`;
    const found = (name: string) => present(this.#weights.get(name), () => lacking(name));
    return Object.fromEntries(graph.weights.map(({ name }) => [name, found(name)]));
  }

  async dispose(): Promise<void> {
    const sessions = await Promise.allSettled(this.#sessions.values());
    this.#sessions.clear();
    await this.#recorded.releaseAll();
    for (const s of sessions) if (s.status === "fulfilled") await s.value.release();
    for (const weight of this.#weights.values()) weight.dispose();
  }

  async #create(graph: Graph, { perToken = false, keptFor }: SessionUse): Promise<Session> {
    const weights = this.weightsOf(graph);
    if (this.device.weightsAs === "inputs" || !perToken || !isSmall(Object.values(weights)))
      return this.device.createSession(toOnnx(graph), {
        name: graph.name,
        weights,
        keepOnDevice: onDevice(graph),
        ...(keptFor && { keptFor }),
        lean: true,
      });
    const bytes = new Map<string, Uint8Array>();
    for (const [name, tensor] of Object.entries(weights)) {
      const data = await tensor.read();
      bytes.set(name, rawBytes(data));
    }
    return this.device.createSession(toOnnx(graph, { weights: (name) => bytes.get(name)! }), {
      name: graph.name,
      weights: {},
    });
  }
}

function isSmall(weights: Iterable<DeviceTensor>): boolean {
  return [...weights].reduce((sum, { bytes }) => sum + bytes, 0) <= BAKED_UP_TO;
}

const BAKED_UP_TO = 512 * 2 ** 20;

/** With 8 a token took a tenth to a quarter longer. */
export const MANY_TOKENS = 16;

/** Outputs that are fed back or seldom looked at: caches, hidden states, optimiser state and gradients stay on the device. */
function onDevice(graph: Graph): string[] {
  return graph.outputs
    .map((o) => o.name)
    .filter((name) => /^(present\.|hidden$|empty$|gradient$)/.test(name) || name.endsWith(".next"));
}
