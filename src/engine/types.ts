/** @file Types of the engine's programs and sessions, apart from their code so that no two files import each other. */

import type { Graph } from "../graph/ir.ts";
import type { Decoder } from "../graph/models/decoder.ts";
import type { ForwardOptions } from "../graph/programs/forward.ts";
import type { Device, FixedSession, FixedSessionOptions, Purpose, Session } from "../runtime/device.ts";

export interface SessionUse {
  /**
   * It runs once per decoded token, with few rows. If the device can bake weights in, it gets a separate copy of them:
   * onnxruntime repacks constant weights, which halves such a run. All other sessions share one copy, since a copy takes
   * 60-100 ms and twice the model's memory (bundled model, two cores), and many rows gain little.
   */
  readonly perToken?: boolean;
  /** Purpose of outputs that stay on the device; "activation" by default. */
  readonly keptFor?: Purpose;
}

export type ForwardRole = ForwardOptions & SessionUse;

/** A named graph, built when it is first needed. */
export interface Program extends SessionUse {
  readonly name: string;
  build(model: Decoder): Graph;
}

export interface ModelSessions {
  readonly device: Device;
  readonly decoder: Decoder;
  /** Whether encoding steps may be recorded, if the device records any: the self-test in this precision decides. */
  readonly recordsSteps: boolean;
  /** The session of the graph that `build` makes; `key` must name everything the graph depends on. */
  session(key: string, build: () => Graph, use?: SessionUse): Promise<Session>;
  /** A separate session for a graph of one shape, whose commands are recorded; only if the device records. */
  recorded(graph: Graph, options: Omit<FixedSessionOptions, "name" | "weights">): Promise<FixedSession>;
}
