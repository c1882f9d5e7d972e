import "fake-indexeddb/auto";
import { expect, it } from "vitest";
import { SHARP } from "../../records/params.ts";
import { RUN_FORMAT } from "../../records/evaluation.ts";
import type { CaseRecord, StudyHeader } from "../../records/run.ts";
import { openDatabase } from "../../store/database.ts";
import { createRunsService } from "./savedRuns.ts";

const database = openDatabase({ name: "runs service" });
const service = createRunsService(() => database);
const header = (id: string, created: string): StudyHeader => ({
  kind: "study",
  key: "0",
  format: RUN_FORMAT,
  id,
  study: "capacity",
  settings: { sizes: "16" },
  params: SHARP,
  seed: 1,
  backend: "cpu",
  model: "m@1",
  app: "0",
  created,
});
const record = (n: number, exact: number): CaseRecord => ({
  kind: "case",
  id: `capacity/${n}`,
  inputs: { size: n },
  measures: { exact },
  milliseconds: 1,
});

it("saves a run case by case, gives it back whole, lists the newest first, and removes it", async () => {
  const [old, fresh] = [header("a", "2026-01-01T00:00:00Z"), header("b", "2026-02-01T00:00:00Z")];
  await service.keepRun({ notebook: "n", id: "a", header: old });
  await service.keepRun({ notebook: "n", id: "b", header: fresh });
  const other = service.keepRun({ notebook: "n", id: "a", header: { ...old, seed: 2 } });
  await expect(other).rejects.toThrow("differs in seed");
  for (const one of [record(1, 0.5), record(2, 1), record(1, 0.75)])
    await service.keepRecords({ id: "a", records: [one] });
  expect(await service.keptRecords({ id: "a" })).toEqual(["capacity/1", "capacity/2"]);
  expect(await service.loadRun({ id: "a" })).toEqual({ header: old, cases: [record(1, 0.75), record(2, 1)] });
  expect(await service.runs({ notebook: "n" })).toEqual([
    { id: "b", header: fresh, records: 0 },
    { id: "a", header: old, records: 2 },
  ]);
  expect(await service.runs({ notebook: "other" })).toEqual([]);
  await expect(service.keepRecords({ id: "c", records: [record(1, 0)] })).rejects.toThrow(/no run "c"/);
  await service.removeRun({ id: "a" });
  expect(await service.loadRun({ id: "a" })).toBeNull();
});

it("refuses a run that is no run, and says where it is wrong", async () => {
  const broken = { ...header("d", "2026-03-01T00:00:00Z"), study: "quiz" } as unknown as StudyHeader;
  await service.keepRun({ notebook: "broken", id: "d", header: broken });
  await expect(service.loadRun({ id: "d" })).rejects.toThrow(/run "d": study is "quiz"; "capacity" or/);
  await service.removeRun({ id: "d" });
});
