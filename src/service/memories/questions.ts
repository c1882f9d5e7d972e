/** @file Questions to a memory; they are answered while runs are paused. */

import { answer } from "../../flow/answer.ts";
import { present } from "../../lib/assert.ts";
import type { Answer, Reconstruction } from "../../records/answer.ts";
import type { FactId } from "../../records/ids.ts";
import type { ReadSettings } from "../../records/notebook.ts";
import type { AskProgress } from "../../records/progress.ts";
import type { Call } from "../../rpc/wire.ts";
import { usingMemory, type ServiceParts } from "../parts.ts";

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

export const questionMethods = (parts: ServiceParts) => ({
  ask: (
    { memory, question, settings }: AskArgument,
    { signal, onProgress }: Call<AskProgress> = {},
  ): Promise<Answer> =>
    usingMemory(parts, memory, signal, (open, either) => {
      const params = { ...open.params, ...settings };
      const onText = onProgress && ((text: string) => onProgress({ text }));
      return answer({ ...open, params }, question, { now: parts.host.now, signal: either, onText });
    }),
  recall: (
    { memory, ids, settings }: RecallArgument,
    { signal }: Call = {},
  ): Promise<readonly Reconstruction[]> =>
    usingMemory(parts, memory, signal, ({ facts, params, reader }, either) => {
      const gone = (id: FactId) => `engine: fact ${id} is not stored in this memory; reload the list`;
      const asked = ids.map((id) => present(facts.get(id), () => gone(id)));
      return reader.recall(asked, { ...params, ...settings }, either);
    }),
});
