/** @file The check of parts: one run over each prompt with its residual and targets gives margins and addresses. */

import { groupBy } from "../lib/group.ts";
import type { CheckedPart, PartToCheck } from "./engine.ts";
import { checkInjection, checkWindow, columnsOf } from "./greedy.ts";
import { check, partRuns } from "./roles.ts";
import { disposeAll, fillRows, numbers, padRight, type Runner } from "./runner.ts";

/** Columns that prefixes are rounded up to: most have 9 to 16 tokens, and each column costs a tenth of the prefix. */
const COLUMNS = 4;

/** {@link Engine.check}. @throws for a part that does not fit the model or its window */
export async function checkParts(
  runner: Runner,
  parts: readonly PartToCheck[],
  signal?: AbortSignal,
): Promise<CheckedPart[]> {
  for (const { prompt, injection, targets } of parts) {
    checkInjection(runner, injection);
    checkWindow(runner, prompt.ids.length + targets.length, "a fact with its recall prompt");
  }
  const found = new Array<CheckedPart>(parts.length);
  const order = [...parts.keys()].sort((a, b) => parts[a]!.targets.length - parts[b]!.targets.length);
  const alike = groupBy(order, (i) => {
    const { ids, keyPosition } = parts[i]!.prompt;
    return `${columnsOf(keyPosition, COLUMNS)} ${ids.length - keyPosition}`;
  });
  for (const indices of alike.values()) {
    const longest = parts[indices.at(-1)!]!.targets.length;
    for (const { rows, members } of partRuns(indices, runner.logitRows / longest)) {
      const checked = await run(
        runner,
        members.map((i) => parts[i]!),
        rows,
        signal,
      );
      for (const [row, i] of members.entries()) found[i] = checked[row]!;
    }
  }
  return found;
}

async function run(
  runner: Runner,
  parts: readonly PartToCheck[],
  batch: number,
  signal: AbortSignal | undefined,
): Promise<CheckedPart[]> {
  const rows = fillRows(parts, batch);
  const columns = columnsOf(Math.max(...parts.map(({ prompt }) => prompt.keyPosition)), COLUMNS);
  const length = rows.map(({ prompt, targets }) => prompt.ids.length + targets.length);
  const prompts = rows.map(({ prompt }) => prompt);
  const { cache, pads } = await runner.readPrefixes(prompts, { columns, length, signal });
  const said = rows.map(({ prompt: { ids, keyPosition }, targets }) => [
    ...ids.slice(keyPosition),
    ...targets.slice(0, -1),
  ]);
  const time = Math.max(...said.map((ids) => ids.length));
  const window = said.map((ids) => padRight(ids, time));
  const feeds = {
    ...cache,
    ...runner.tokens(window, { pads, past: columns, length }),
    ...runner.injections(
      rows.map(({ injection }) => injection),
      time,
    ),
  };
  const outputs = await runner.run(check(batch), feeds, signal);
  const [next, margin] = [await numbers(outputs["next"]!), await numbers(outputs["margin"]!)];
  const address = (await outputs["activation"]!.read()) as Float32Array;
  disposeAll(outputs);
  const { dFf } = runner.config;
  return parts.map(({ prompt: { ids, keyPosition }, targets }, row) => {
    const first = row * time + ids.length - keyPosition - 1;
    const leads = targets.map((id, t) => (next[first + t] === id ? margin[first + t]! : 0));
    const activation = address.slice(row * dFf, (row + 1) * dFf);
    return { reading: { activation }, margin: Math.min(...leads) };
  });
}
