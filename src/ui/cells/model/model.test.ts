import { describe, expect, it } from "vitest";
import { large } from "../../format.ts";
import { copyLine, halfPrecisionText, limitRows, selfTestText } from "./DevicePanel.tsx";
import { modelFiles, createRate } from "./ModelCell.tsx";
import { MODEL_SHAPES } from "../../../../tools/modelShapes.ts";
import { describeModel } from "../../../engine/describe.ts";
import { fromAddress, repoProblem } from "../../models/hubModels.tsx";
import { KNOWN_MODELS, sizesOf } from "./HubSource.tsx";

const named = (...names: string[]) => names.map((name) => ({ name, file: new File(["x"], name) }));

it("the parameters of a model are said in two or three digits", () => {
  expect([5_800_000, 596_049_920, 999_700_000, 4.02e9, 8.03e9, 32.8e9].map(large)).toEqual([
    "5.8 million",
    "596 million",
    "1.0 billion",
    "4.0 billion",
    "8.0 billion",
    "33 billion",
  ]);
});

describe("the device card", () => {
  it("says of a processor what is true of it, in units", () => {
    expect(halfPrecisionText({ f16: true, backend: "wasm" })).toBe("yes");
    expect(halfPrecisionText({ f16: true, backend: "webgpu" })).toBe("yes (shader-f16)");
    expect(halfPrecisionText({ f16: false, backend: "webgpu" })).toBe("no");
    const wasm = { memory: 4 * 1024 ** 3, crossOriginIsolated: 1 };
    expect(limitRows(wasm)).toEqual([["Largest heap", "4.3 GB"]]);
    expect(limitRows({ maxComputeInvocationsPerWorkgroup: 1024 })).toEqual([
      ["maxComputeInvocationsPerWorkgroup", "1,024"],
    ]);
  });

  it("gives the verdict once", () => {
    const test = { verdict: "pass", milliseconds: 1 } as const;
    expect(selfTestText({ ...test, summary: "pass: largest relative error 1e-5" })).toBe(
      "largest relative error 1e-5",
    );
    expect(selfTestText({ ...test, summary: "no check ran" })).toBe("no check ran");
  });
});

describe("modelFiles", () => {
  it("takes the files beside the highest config.json, by their plain names", () => {
    const found = modelFiles(
      named(
        "m/onnx/config.json",
        "m/config.json",
        "m/model.safetensors",
        "m/onnx/x.onnx",
        "m/tokenizer.json",
      ),
    );
    expect(found).toMatchObject({ name: "m" });
    expect("files" in found && [...found.files.keys()].sort()).toEqual([
      "config.json",
      "model.safetensors",
      "tokenizer.json",
    ]);
  });

  it("takes loose files", () =>
    expect(modelFiles(named("config.json", "model.safetensors", "tokenizer.json"))).toMatchObject({
      name: "dropped files",
    }));

  it("says what is missing", () => {
    expect(modelFiles(named("a.txt"))).toMatchObject({ problem: expect.stringContaining("config.json") });
    expect(modelFiles(named("config.json"))).toMatchObject({
      problem: expect.stringContaining("safetensors"),
    });
    // Found out when the model is opened, it would be found out after a gigabyte was read.
    expect(modelFiles(named("config.json", "model.safetensors"))).toMatchObject({
      problem: expect.stringContaining("tokenizer.json"),
    });
  });
});

describe("copyLine", () =>
  it.each([
    [
      { from: "copy", bytes: 6.6e8, problem: null },
      "Read from the copy in q8 that this browser keeps, 660 MB.",
    ],
    [
      { from: "files", bytes: 6.6e8, problem: null },
      "A copy in q8 is kept, 660 MB: the next start reads that alone.",
    ],
    [
      { from: "files, since the copy was damaged", bytes: 6.6e8, problem: null },
      "The copy that was here was damaged. A copy in q8 is kept, 660 MB: the next start reads that alone.",
    ],
    [
      { from: "files", bytes: 0, problem: "this browser gives no more room" },
      "No copy in q8 is kept (this browser gives no more room): the next start reads and rounds the files again.",
    ],
  ] as const)("says of %j what it means", (report, line) => expect(copyLine(report, "q8")).toBe(line)));

describe("createRate", () =>
  it("is the rate of the last seconds, not of the whole", () => {
    const rate = createRate();
    expect(rate(0, 0)).toBeNull();
    expect(rate(1000, 1000)).toBe(1000);
    expect(rate(1000, 9000)).toBeNull();
    expect(rate(3000, 10_000)).toBe(2000);
  }));

describe("the models to begin with", () => {
  it.each([
    ["Qwen/Qwen3-0.6B", "qwen3-0.6b"],
    ["Qwen/Qwen3-1.7B", "qwen3-1.7b"],
    ["Qwen/Qwen3-4B-Instruct-2507", "qwen3-4b"],
    ["microsoft/Phi-3.5-mini-instruct", "phi3.5-mini"],
  ] as const)("have the size of their shape: %s", (repo, shape) => {
    const [, billions] = KNOWN_MODELS.find(([name]) => name === repo)!;
    expect(billions * 1e9).toBeGreaterThan(0.99 * describeModel(MODEL_SHAPES[shape]).parameters);
    expect(billions * 1e9).toBeLessThan(1.01 * describeModel(MODEL_SHAPES[shape]).parameters);
  });

  it("are named as the Hub names them, the smallest first, with a size in each precision", () => {
    expect(KNOWN_MODELS.length).toBeGreaterThan(11);
    for (const [i, [repo, weights, download]] of KNOWN_MODELS.entries()) {
      expect(repoProblem(repo)).toBeNull();
      expect(weights).toBeGreaterThanOrEqual(KNOWN_MODELS[i - 1]?.[1] ?? 0);
      // Two bytes a weight, and at most a head that is the table of tokens once more.
      expect(download / weights).toBeGreaterThan(1.95);
      expect(download / weights).toBeLessThan(2.6);
    }
    expect(sizesOf(0.596)).toBe("f32 2.4 GB, f16 1.2 GB, q8 671 MB, q4 373 MB");
  });
});

describe("repoProblem", () => {
  it.each(["Qwen/Qwen3-0.6B", " meta-llama/Llama-3.2-1B "])("takes %s", (name) =>
    expect(repoProblem(name)).toBeNull(),
  );
  it.each([
    ["https://huggingface.co/Qwen/Qwen3-0.6B", "Qwen/Qwen3-0.6B", undefined],
    [" huggingface.co/Qwen/Qwen3-0.6B/tree/refs%2Fpr%2F3 ", "Qwen/Qwen3-0.6B", "refs/pr/3"],
    ["https://hf.co/a/b/blob/v1/model.safetensors?download=true", "a/b", "v1"],
  ])("takes the pasted address %s apart", (address, repo, revision) =>
    expect(fromAddress(address)).toEqual({ repo, revision }),
  );
  it("takes a name for a name", () => expect(fromAddress("Qwen/Qwen3-0.6B")).toBeNull());
  it.each(["", "qwen", "https://example.org/Qwen/Qwen3-0.6B", "a/b/c", "a b/c", "../x/y"])(
    "refuses %j",
    (name) => expect(repoProblem(name)).toMatch(/\.$/),
  );
});
