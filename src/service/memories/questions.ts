/** @file Questions to a memory; they are answered while runs are paused. */

import { answer } from "../../flow/answer.ts";
import { present } from "../../lib/assert.ts";
import type { Answer, Reconstruction } from "../../records/answer.ts";
import type { FactId } from "../../records/ids.ts";
import type { ReadSettings } from "../../records/notebook.ts";
import type { AskProgress } from "../../records/progress.ts";
import type { Call } from "../../rpc/wire.ts";
import type { ServiceParts } from "../parts.ts";
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
          const onText = onProgress && ((text: string) => onProgress({ text }));
          const options = { now: () => host.now(), signal: either, onText };
          return answer({ ...open, engine: stoppable(engine, either), params }, question, options);
        }),
      signal,
    ),
  recall: (
    { memory, ids, settings }: RecallArgument,
    { signal }: Call = {},
  ): Promise<readonly Reconstruction[]> =>
    model.using(
      (engine, either) =>
        memories.using(engine, memory, ({ facts, params, reader }) => {
          const gone = (id: FactId) => `engine: fact ${id} is not stored in this memory; reload the list`;
          const parts = ids.map((id) => present(facts.get(id), () => gone(id)));
          return reader.recall(parts, { ...params, ...settings }, either);
        }),
      signal,
    ),
});
