import { describe, expect, it } from "vitest";
import { readRun, merged } from "../runs/file.ts";
import { accuracies } from "../summary.ts";
import { runText } from "../testing/stories.ts";
import { exported } from "./exports.ts";
import { imported } from "./imports.ts";

const run = async () => readRun(await runText(), "run.jsonl")!;

describe("samples of lm-evaluation-harness", () => {
  it("imported again give the same figures, under names of their own", async () => {
    const own = await run();
    const files = exported(own).filter(({ name }) => name.startsWith("samples_"));
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
    const [, first] = exported(await run());
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
