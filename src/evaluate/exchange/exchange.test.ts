import { describe, expect, it } from "vitest";
import { readRun } from "../runs/file.ts";
import { merged } from "../runs/merge.ts";
import { accuracies } from "../summary.ts";
import { runText } from "../testing/stories.ts";
import { exported } from "./exports.ts";
import { imported } from "./imports.ts";

const run = async () => readRun(await runText(), "run.jsonl")!;

describe("samples of lm-evaluation-harness", () => {
  it("imported again give the same figures, under names of their own", async () => {
    const own = await run();
    const files = exported(own, "lm-eval").filter(({ name }) => name.startsWith("samples_"));
    expect(files[0]!.name).toMatch(/^samples_stories_where_truncation-12_2026-01-01T00-00-00Z\.jsonl$/);
    const parts = files.map(({ name, content }) => imported({ name, text: content }, "others", own.header));
    const back = merged(parts, "import");
    const figures = (cells: ReturnType<typeof accuracies>) =>
      cells.map((cell) => ({ ...cell, method: cell.method.replace("others: ", "") }));
    expect(back.header.methods.every((name) => name.startsWith("others: "))).toBe(true);
    const order = (cells: ReturnType<typeof figures>) =>
      cells.toSorted((a, b) => `${a.length} ${a.method}`.localeCompare(`${b.length} ${b.method}`));
    expect(order(figures(accuracies(back)))).toEqual(order(figures(accuracies(own))));
  });

  it("have the fields that the harness writes", async () => {
    const [, first] = exported(await run(), "lm-eval");
    const line = JSON.parse(first!.content.split("\n")[0]!) as Record<string, unknown>;
    expect(Object.keys(line)).toEqual(
      expect.arrayContaining([
        "doc_id",
        "doc",
        "target",
        "arguments",
        "resps",
        "filtered_resps",
        "doc_hash",
        "prompt_hash",
        "target_hash",
      ]),
    );
  });

  it("of others stand as a method of their own", async () => {
    const { header } = await run();
    const text = JSON.stringify({
      doc: { question: "Where is Mary?" },
      target: "garden",
      resps: [["the garden"]],
      filtered_resps: ["the garden"],
      arguments: [["prompt"]],
    });
    const { samples } = imported({ name: "samples.jsonl", text }, "theirs", header);
    expect(samples[0]).toMatchObject({
      method: "theirs",
      answer: "the garden",
      prompt: "prompt",
      scores: { "babilong-substring": 1 },
    });
  });
});

describe("BABILong's tables", () => {
  it("are scored by its rule, task and length from the file's name", async () => {
    const { header } = await run();
    const text =
      'target,output,question\r\nkitchen,"The kitchen, not the office.",Where is Mary?\r\ngarden,garden,Where is John?\r\n';
    const { samples, header: own } = imported({ name: "qa1_16k_instruction_yes.csv", text }, "Phi-3", header);
    expect(samples.map(({ scores }) => scores["babilong-strict"])).toEqual([0, 1]);
    expect(own).toMatchObject({ tasks: ["qa1"], lengths: ["16k"], methods: ["Phi-3"] });
  });

  it("of a task whose answers are not known are refused: they would all be scored 0", async () => {
    const { header } = await run();
    const text = "target,output,question\r\nn,north,Where?\r\n";
    for (const name of ["qa19_4k.csv", "stories.csv"])
      expect(() => imported({ name, text }, "m", header)).toThrow(/scored by the answers of qa1, .*qa1_16k/);
  });

  it("of other fields are refused", async () => {
    const { header } = await run();
    expect(() => imported({ name: "x.csv", text: "a,b\n1,2\n" }, "m", header)).toThrow(
      "record 1 has the fields a, b; expected",
    );
  });
});

/** The fields that the published schemas require, and the only ones they allow (version 0.2.1). */
const AGGREGATE = {
  required: [
    "schema_version",
    "evaluation_id",
    "retrieved_timestamp",
    "source_metadata",
    "model_info",
    "eval_library",
    "evaluation_results",
  ],
  allowed: ["dedupe_identity", "evaluation_timestamp", "detailed_evaluation_results"],
};
const INSTANCE = {
  required: [
    "schema_version",
    "evaluation_id",
    "model_id",
    "evaluation_name",
    "sample_id",
    "interaction_type",
    "input",
    "answer_attribution",
    "evaluation",
    "output",
  ],
  allowed: ["sample_hash", "messages", "token_usage", "performance", "error", "metadata"],
};

function expectFields(given: object, { required, allowed }: typeof AGGREGATE): void {
  expect(Object.keys(given)).toEqual(expect.arrayContaining(required));
  expect(Object.keys(given).filter((name) => !required.includes(name) && !allowed.includes(name))).toEqual(
    [],
  );
}

describe("Every Eval Ever", () => {
  it("has what its schemas require and nothing that they do not allow", async () => {
    const [aggregate, instances] = exported(await run(), "every-eval-ever");
    const whole = JSON.parse(aggregate!.content) as {
      readonly evaluation_results: readonly Record<string, unknown>[];
      readonly detailed_evaluation_results: { readonly total_rows: number };
    };
    expectFields(whole, AGGREGATE);
    for (const result of whole.evaluation_results) {
      expect(Object.keys(result)).toEqual(
        expect.arrayContaining(["evaluation_name", "source_data", "metric_config", "score_details"]),
      );
      expect((result["score_details"] as { score: unknown }).score).toEqual(expect.any(Number));
    }
    const lines = instances!.content
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { metadata: Record<string, unknown>; output: { raw: unknown[] } });
    expect(whole.detailed_evaluation_results.total_rows).toBe(lines.length);
    for (const line of lines) {
      expectFields(line, INSTANCE);
      expect(Object.values(line.metadata).every((value) => typeof value === "string")).toBe(true);
      expect(line.output.raw).toHaveLength(1);
    }
  });
});
