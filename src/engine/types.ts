/** @file Types of the engine's programs and sessions, apart from their code so that no two files import each other. */

import type { Graph } from "../graph/ir.ts";
import type { Decoder } from "../graph/models/decoder.ts";
import type { ForwardOptions } from "../graph/programs/forward.ts";
import type { Device, FixedSession, FixedSessionOptions, Purpose, Session } from "../runtime/device.ts";

export interface SessionUse {
  /** It runs once per token, so it may get its own baked weights: onnxruntime repacks constants, which halves such a run. */
  readonly perToken?: boolean;
  readonly keptFor?: Purpose;
}

export type ForwardRole = ForwardOptions & SessionUse;

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
  recorded(graph: Graph, options: Omit<FixedSessionOptions, "name" | "weights">): Promise<FixedSession>;
}
