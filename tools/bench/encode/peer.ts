/** @file The PyTorch peer of the benchmark (peer.py), in another process; absent without PyTorch. */

import { spawn, spawnSync } from "node:child_process";
import { cpus } from "node:os";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import * as v from "valibot";

/** Debian's, which has Debian's PyTorch. */
const PYTHON = "/usr/bin/python3";
const SCRIPT = fileURLToPath(new URL("peer.py", import.meta.url));

export interface PeerJob {
  readonly layer: number;
  readonly rate: number;
  readonly betas: readonly [number, number];
  readonly steps: number;
  /** A prompt's tokens, the place of its key token, and the tokens of the part. */
  readonly parts: readonly {
    readonly ids: readonly number[];
    readonly key: number;
    readonly targets: readonly number[];
  }[];
}

const begun = v.object({ torch: v.string(), threads: v.number() });
const done = v.object({ seconds: v.number(), exact: v.number(), steps: v.number() });

export interface Peer {
  readonly torch: string;
  /** Seconds that the job took, and its exact parts. @throws if the process ended */
  encode(job: PeerJob): Promise<v.InferOutput<typeof done>>;
  close(): void;
}

/** Starts the peer with the weights of `model`, a folder; null without PyTorch. @throws if it cannot read them */
export async function openPeer(model: string): Promise<Peer | null> {
  if (spawnSync(PYTHON, ["-c", "import torch, numpy"]).status !== 0) return null;
  const env = { ...process.env, OMP_NUM_THREADS: String(cpus().length) };
  const child = spawn(PYTHON, [SCRIPT, model], { stdio: ["pipe", "pipe", "inherit"], env });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  async function answer<S extends v.GenericSchema>(shape: S): Promise<v.InferOutput<S>> {
    const line = await lines.next();
    if (line.done) throw new Error(`bench: peer.py ended with status ${child.exitCode ?? "unknown"}`);
    return v.parse(shape, JSON.parse(line.value));
  }
  const { torch } = await answer(begun);
  return {
    torch,
    encode(job) {
      child.stdin.write(`${JSON.stringify(job)}\n`);
      return answer(done);
    },
    close: () => void child.kill(),
  };
}
