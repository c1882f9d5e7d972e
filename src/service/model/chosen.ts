/**
 * @file A model of transformers.js that was chosen to stand beside the open one: it belongs to no model, stays when
 * another one is opened, and goes when another is chosen in its place.
 */

import { present, throwIfCancelled } from "../../lib/assert.ts";
import type { EmbedderChoice } from "../../records/embedder.ts";
import type { ChooseEmbedder } from "../../rpc/protocol.ts";
import { createQueue } from "../../runtime/queue.ts";
import { blobModelFiles, type ModelFiles } from "../../weights/modelFiles.ts";
import type { EngineHost } from "../engineHost.ts";
import { downloaded } from "./files.ts";
import type { LoadCall } from "./load.ts";

export interface Chosen<T> {
  /** Opens what `argument` says in place of the former; where that fails the former stays. */
  choose(argument: ChooseEmbedder, call: LoadCall): Promise<void>;
  /** Null where none is chosen. */
  current(): T | null;
}

export interface Choosing<T> {
  /** "text embedder", for messages. */
  readonly what: string;
  /** Opens and tries it; whatever its files decide the length of is done by `guarded`. */
  open(
    files: ModelFiles,
    choice: EmbedderChoice,
    call: LoadCall,
    guarded: <R>(work: () => Promise<R>) => Promise<R>,
  ): Promise<T>;
  /** Resolves when nothing uses the former. */
  idle(signal?: AbortSignal): Promise<void>;
  changed?(): void;
}

export function createChosen<T extends { dispose?(): Promise<void> }>(
  host: EngineHost,
  { what, open, idle, changed }: Choosing<T>,
): Chosen<T> {
  let current: T | null = null;
  const line = createQueue();
  const changing = `engine: changing the ${what}`;

  async function opened(
    choice: EmbedderChoice,
    dropped: ChooseEmbedder["files"],
    call: LoadCall,
  ): Promise<T> {
    const files = await filesOf(host, what, choice, dropped, call);
    throwIfCancelled(call.signal, `engine: opening the ${what}`);
    call.onProgress?.({ stage: "weights", done: 0, total: 0 });
    // Its tokenizer came with it, and may never end.
    return open(files, choice, call, (work) => host.deadline.follow(`the ${what} ${files.name}`, work));
  }

  async function replace({ choice, files }: ChooseEmbedder, call: LoadCall): Promise<void> {
    const next = choice && (await opened(choice, files, call));
    try {
      await idle(call.signal);
      throwIfCancelled(call.signal, changing);
    } catch (error) {
      await next?.dispose?.();
      throw error;
    }
    const former = current;
    current = next;
    changed?.();
    await former?.dispose?.();
  }

  return {
    choose: (argument, call) => line.run(changing, () => replace(argument, call), call.signal),
    current: () => current,
  };
}

/** Everything downloaded that has to be. */
async function filesOf(
  host: EngineHost,
  what: string,
  { from, dtype }: EmbedderChoice,
  dropped: ChooseEmbedder["files"],
  call: LoadCall,
): Promise<ModelFiles> {
  if (from.kind === "hub") return downloaded(host.hub, { ...from, onnx: dtype }, call);
  const { name } = from;
  const files = present(
    dropped,
    () => `engine: the files of the ${what} "${name}" are not here; drop the folder again`,
  );
  return blobModelFiles(name, files);
}
