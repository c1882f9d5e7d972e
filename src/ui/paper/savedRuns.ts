/** @file Recorded results of docs/runs, fetched when they are shown. */

import { MOST_RUN_BYTES, readRun, readStudy } from "../../evaluate/runs/file.ts";
import { present } from "../../lib/assert.ts";
import { unpackedText } from "../../lib/gzip.ts";
import type { Evaluation } from "../../records/evaluation.ts";
import type { Run } from "../../records/run.ts";

const EVALUATIONS = import.meta.glob<string>("../../../docs/runs/*/run.jsonl.gz", {
  query: "?url",
  import: "default",
  eager: true,
});
const STUDIES = import.meta.glob<string>("../../../docs/runs/*.jsonl", {
  query: "?url",
  import: "default",
  eager: true,
});

export interface SavedEvaluation {
  readonly name: string;
  readonly run: Evaluation;
}

async function savedText(url: string, name: string): Promise<string> {
  const response = await fetch(url);
  if (!response.ok)
    throw new Error(
      `The saved result ${name} could not be fetched (status ${response.status}); reload the page.`,
    );
  const bytes = new Uint8Array(await response.arrayBuffer());
  return unpackedText(
    bytes,
    MOST_RUN_BYTES,
    () => `The saved result ${name} has more than ${MOST_RUN_BYTES} bytes; it is to be recorded in parts.`,
  );
}

export function savedEvaluations(): Promise<readonly SavedEvaluation[]> {
  return Promise.all(
    Object.entries(EVALUATIONS).map(async ([path, url]) => {
      const name = path.split("/").at(-2)!;
      const run = readRun(await savedText(url, name), name);
      return {
        name,
        run: present(run, () => `The saved result ${name} is empty; it is to be recorded again.`),
      };
    }),
  );
}

/** The recorded run of a study; null if there is none. */
export async function savedStudy(study: string): Promise<Run | null> {
  const [, url] = Object.entries(STUDIES).find(([path]) => path.endsWith(`/${study}.jsonl`)) ?? [];
  return url === undefined ? null : readStudy(await savedText(url, study), `saved study ${study}`);
}
