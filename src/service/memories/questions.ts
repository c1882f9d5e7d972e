/** @file Questions to a memory; they are answered while runs are paused. */

import { answer } from "../../flow/answer.ts";
import { present } from "../../lib/assert.ts";
import { groupBy } from "../../lib/group.ts";
import type { Answer, Reconstruction } from "../../records/answer.ts";
import type { FactId } from "../../records/ids.ts";
import type { EntryMeta } from "../../records/memory.ts";
import type { ReadSettings } from "../../records/notebook.ts";
import type { AskProgress } from "../../records/progress.ts";
import type { Call } from "../../rpc/wire.ts";
import type { ServiceParts } from "../runs/context.ts";
import { stoppable } from "../runs/pause.ts";

interface AskArgument {
  readonly memory: string;
  readonly question: string;
  readonly settings: ReadSettings | null;
}

interface RecallArgument {
  readonly memory: string;
  readonly ids: readonly FactId[];
  readonly settings?: ReadSettings;
}

export const questionMethods = ({ host, model, memories }: ServiceParts) => ({
  ask: (
    { memory, question, settings }: AskArgument,
    { signal, onProgress }: Call<AskProgress> = {},
  ): Promise<Answer> =>
    model.using(
      (engine, either) =>
        memories.using(engine, memory, (open) => {
          const params = { ...open.params, ...settings };
          return answer({ ...open, engine: stoppable(engine, either), params }, question, {
            now: () => host.now(),
            signal: either,
            ...(onProgress && { onText: (text: string) => onProgress({ text }) }),
          });
        }),
      signal,
    ),
  recall: (
    { memory, ids, settings }: RecallArgument,
    { signal }: Call = {},
  ): Promise<readonly Reconstruction[]> =>
    model.using(
      (engine, either) =>
        memories.using(engine, memory, ({ memory: { entries }, params, reader }) =>
          reader.recall(pick(entries, ids), { ...params, ...settings }, either),
        ),
      signal,
    ),
});

/** The entries of each fact, in the order of `ids`. */
function pick(entries: readonly EntryMeta[], ids: readonly string[]): EntryMeta[][] {
  const byId = groupBy<EntryMeta, string>(entries, ({ id }) => id);
  return ids.map((id) =>
    present(byId.get(id), () => `engine: fact ${id} is not stored in this memory; reload the list`),
  );
}
