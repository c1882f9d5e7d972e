/** @file Runs of studies: kept case by case, gone on with after a stop, and begun anew when they were complete. */

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { plannedStudy } from "../../evaluate/runs/header.ts";
import { plannedCases, settingsOf } from "../../evaluate/studies/run.ts";
import { Cancelled } from "../../lib/assert.ts";
import type { RunArgument, RunEvent, RunPlan, StudyArgument } from "../../service/evaluation/evaluation.ts";
import type { Call } from "../../rpc/wire.ts";
import { createHarness, recorded, type Harness } from "../testing/harness.ts";

let harness: Harness;
let cellId: string;
/** What the engine was asked for, and after how many cases it stops; times of runs differ. */
let asked: (StudyArgument & { readonly have: readonly string[] })[];
let stopAfter: number;
let runs: number;

beforeEach(async () => {
  harness = createHarness();
  [asked, stopAfter, runs] = [[], Infinity, 0];
  harness.engine.planRun = plan;
  harness.engine.makeRecords = records;
  await harness.app.actions.start();
  cellId = harness.app.actions.addCell("experiment")!;
  harness.app.actions.setInput(cellId, "experiment", (input) => ({
    ...input,
    settings: { sizes: "16, 32" },
  }));
});
afterEach(() => {
  harness.close();
});

async function plan(argument: RunArgument): Promise<RunPlan> {
  const { study, settings, params, seed, app } = argument as StudyArgument;
  const { identity, device } = recorded("model");
  const engine = { model: identity, capabilities: { backend: device.backend } };
  const created = `2026-01-01T00:00:0${runs++}Z`;
  const inputs = { study, settings: settingsOf(study, settings), params, seed, app, created };
  const header = plannedStudy(inputs, engine as never);
  return { run: header.id, header, ids: plannedCases(study, settings) };
}

/** Cases that nobody measured. */
async function records(
  argument: RunArgument & { readonly have: readonly string[] },
  { onProgress }: Call<RunEvent> = {},
): Promise<number> {
  const { have, ...given } = argument;
  asked.push({ ...(given as StudyArgument), have });
  let cases = 0;
  for (const id of (await plan(given)).ids.filter((one) => !have.includes(one))) {
    if (cases === stopAfter) throw new Cancelled("test: stopped");
    const record = { kind: "case", id, inputs: {}, measures: { exact: 1 }, milliseconds: 1 } as const;
    onProgress?.({ kind: "record", record });
    cases++;
  }
  return cases;
}

const output = () => {
  const { open, currentId } = harness.state();
  const cell = open[currentId!]!.notebook.cells.find(({ id }) => id === cellId)!;
  return cell.kind === "experiment" ? cell.output : null;
};
const kept = async () => (await harness.app.library().loadRun({ id: output()!.runId }))!.cases;

describe("an experiment", () => {
  it("keeps every case, and goes on where it was stopped", async () => {
    stopAfter = 1;
    expect(await harness.app.actions.runCell(cellId)).toBe(false);
    expect(output()).toMatchObject({ cases: 1, planned: 4 });
    expect(await kept()).toHaveLength(1);
    const first = output()!.runId;
    stopAfter = Infinity;
    expect(await harness.app.actions.runCell(cellId)).toBe(true);
    expect(asked[1]!.have).toHaveLength(1);
    expect(output()).toMatchObject({ runId: first, cases: 4, planned: 4 });
    expect((await kept()).map(({ id }) => id).toSorted()).toEqual(
      plannedCases("capacity", { sizes: "16, 32" }).toSorted(),
    );
  });

  it("begins anew when it was complete, or its settings changed", async () => {
    await harness.app.actions.runCell(cellId);
    const first = output()!.runId;
    await harness.app.actions.runCell(cellId);
    expect(asked[1]!.have).toEqual([]);
    expect(output()!.runId).not.toBe(first);
    stopAfter = 1;
    await harness.app.actions.runCell(cellId);
    harness.app.actions.setInput(cellId, "experiment", (input) => ({ ...input, settings: { sizes: "16" } }));
    await harness.app.actions.runCell(cellId);
    expect(asked.at(-1)!.have).toEqual([]);
    const { currentId } = harness.state();
    expect(await harness.app.library().runs({ notebook: currentId! })).toHaveLength(4);
  });

  it("draws from the seed that is set, and begins anew with another", async () => {
    stopAfter = 1;
    await harness.app.actions.runCell(cellId);
    expect(asked[0]!.seed).toBe(1);
    harness.app.actions.setInput(cellId, "experiment", (input) => ({
      ...input,
      settings: { ...input.settings, seed: 7 },
    }));
    await harness.app.actions.runCell(cellId);
    expect(asked[1]).toMatchObject({ seed: 7, have: [] });
    expect(asked[1]!.settings).not.toHaveProperty("seed");
    await harness.app.actions.runCell(cellId);
    expect(asked[2]!.have).toHaveLength(1);
  });

  it("hands over the memory only where its facts are asked for", async () => {
    await harness.app.actions.runCell(cellId);
    expect(asked[0]!.memory).toBeNull();
    harness.app.actions.setInput(cellId, "experiment", (input) => ({
      ...input,
      settings: { kinds: "memory" },
    }));
    await harness.app.actions.runCell(cellId);
    expect(asked[1]!.memory).toBe(harness.state().currentId);
  });
});
