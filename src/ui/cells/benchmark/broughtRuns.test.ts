import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { exported } from "../../../evaluate/exchange/exports.ts";
import { readRun } from "../../../evaluate/runs/file.ts";
import { merged } from "../../../evaluate/runs/file.ts";
import { accuracies } from "../../../evaluate/summary.ts";
import { runText } from "../../../evaluate/testing/stories.ts";
import { writeZip } from "../../../lib/zip.ts";
import type { Evaluation } from "../../../records/evaluation.ts";
import { evaluationFigures } from "../../../figures/registry.ts";
import { readBrought } from "./BenchmarkCell.tsx";

const text = await runText();
const own = readRun(text, "run.jsonl")!;
const file = (name: string, content: BlobPart) => new File([content], name);
const zipped = async () =>
  writeZip(exported(own).map(({ name, content }) => ({ name, bytes: new TextEncoder().encode(content) })));

/** What the tables say, under the names that methods have in the run. */
const figuresOf = (run: Evaluation, as: string) =>
  accuracies(run)
    .map((cell) => ({ ...cell, method: cell.method.replace(`${as}: `, "") }))
    .toSorted((a, b) => `${a.length} ${a.method}`.localeCompare(`${b.length} ${b.method}`));

describe("a run that was saved and is brought again", () => {
  it("has the same figures as a run file, packed or not, and in parts", async () => {
    const source = { run: "", at: "", backend: "", model: "", app: "" };
    const drawn = (evaluation: Evaluation) => evaluationFigures(evaluation, source);
    for (const files of [[file("run.jsonl", text)], [file("run.jsonl.gz", gzipSync(text))]]) {
      const { beside, run } = await readBrought(files, null);
      expect(beside).toBe(false);
      expect(run.header).toEqual(own.header);
      expect(drawn(run)).toEqual(drawn(merged([own], "own")));
    }
    const parts = await Promise.all(
      (
        [
          [1, 2],
          [2, 2],
        ] as const
      ).map(async (shard, i) => file(`run-${i}.jsonl`, await runText(shard))),
    );
    const { run } = await readBrought(parts, null);
    expect(run.samples.map(({ id }) => id).toSorted()).toEqual(own.samples.map(({ id }) => id).toSorted());
  });

  it("has the same figures as lm-evaluation-harness's samples, an archive of them or several files", async () => {
    const archive = file("mine-lm-eval.zip", await zipped());
    const loose = exported(own)
      .filter(({ name }) => name.startsWith("samples_"))
      .map(({ name, content }) => file(name, content));
    for (const [files, as] of [
      [[archive], "mine-lm-eval"],
      [loose, loose[0]!.name.replace(".jsonl", "")],
    ] as const) {
      const { beside, run } = await readBrought(files, own);
      expect(beside).toBe(true);
      expect(run.header.methods.toSorted()).toEqual(
        own.header.methods.map((name) => `${as}: ${name}`).toSorted(),
      );
      expect(figuresOf(run, as)).toEqual(figuresOf(own, as));
    }
  });
});

it("says what it cannot read, and why", async () => {
  const read = (files: readonly File[], run: Evaluation | null = own) => readBrought(files, run);
  const [, samples] = exported(own);
  await expect(read([file("s.jsonl", samples!.content)], null)).rejects.toThrow("s.jsonl is not a run file");
  await expect(read([file("run.jsonl", text), file("s.jsonl", samples!.content)])).rejects.toThrow(
    "s.jsonl is not a run file, unlike the others",
  );
  await expect(read([file("run.jsonl", text.split("\n")[0]! + "\n")])).rejects.toThrow("has no sample");
  await expect(
    read([file("mine.zip", await writeZip([{ name: "log.json", bytes: new Uint8Array() }]))]),
  ).rejects.toThrow(/holds no \.jsonl and no \.csv, but .*\.json/);
  await expect(read([file("mine.jsonl", '{"a":1}\n')])).rejects.toThrow(
    /record 1 has the fields .* expected those of lm-evaluation-harness/,
  );
  await expect(read([file("mine.zip", "no archive")])).rejects.toThrow("mine.zip");
});
