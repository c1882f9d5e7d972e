/** @file transformers.js has one set of settings for all of a process: openings change it in turns, each for its time. */

import { createQueue } from "../runtime/queue.ts";

export type Library = typeof import("@huggingface/transformers");

/** Where a model is looked for. */
export interface Whereabouts {
  /** Where local models lie: a path or URL ending in the parent of the model's folder. */
  readonly localPath?: string | undefined;
  /** Ask the Hub; only when the user named a model there. */
  readonly remote: boolean;
}

const openings = createQueue();

/**
 * Opens something of transformers.js under settings of its own; when it is open, or failed, they are as before.
 * @param over settings beside those that `where` means
 * @param open also told where it looks, for its messages
 * @throws what `open` throws, and Cancelled while it waits for its turn
 */
export function opening<T>(
  what: string,
  { localPath, remote }: Whereabouts,
  over: Partial<Library["env"]>,
  open: (library: Library, from: string) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const task = async (): Promise<T> => {
    const library = await import("@huggingface/transformers");
    const { env } = library;
    const before = { ...env };
    Object.assign(env, { allowRemoteModels: remote, allowLocalModels: !remote }, over);
    if (localPath !== undefined) env.localModelPath = localPath;
    try {
      return await open(library, remote ? "the Hub" : env.localModelPath);
    } finally {
      Object.assign(env, before);
    }
  };
  return openings.run(what, task, signal);
}
