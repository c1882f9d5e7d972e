import { expect, test } from "vitest";
import {
  isOnnxFile,
  choiceNamed,
  embedderName,
  modelOf,
  OWN_STATES,
  sameEmbedder,
  type EmbedderChoice,
} from "./embedder.ts";

const HUB: EmbedderChoice = {
  from: { kind: "hub", repo: "Xenova/bge-small-en-v1.5", revision: "main" },
  dtype: "q8",
  device: "wasm",
};
const FILES: EmbedderChoice = {
  from: { kind: "files", name: "my gte (2)" },
  dtype: "fp32",
  device: "webgpu",
};

test("the name that a memory remembers says which choice makes its embedder again", () => {
  const other = { ...HUB, from: { ...HUB.from, revision: "refs/pr/3" }, dtype: "q4f16" } as const;
  for (const choice of [HUB, FILES, other]) {
    const name = embedderName(modelOf(choice), { pooling: "cls", prefixed: true, dtype: choice.dtype });
    expect(choiceNamed(name, choice.device)).toEqual(choice);
  }
  expect(embedderName(modelOf(HUB), { pooling: "cls", prefixed: true, dtype: "q8" })).toBe(
    "transformers.js Xenova/bge-small-en-v1.5 (cls, prefixed, q8)",
  );
  expect(choiceNamed(OWN_STATES)).toBeNull();
  expect(choiceNamed("none")).toBeUndefined();
});

test("a name of files contains the hash of its weights", () => {
  const traits = { pooling: "mean", prefixed: false, dtype: "fp32", weights: "0123456789abcdef" } as const;
  const name = embedderName("my gte (2)", traits);
  expect(name).toBe("transformers.js my gte (2) #0123456789abcdef (mean)");
  expect(choiceNamed(name, "webgpu")).toEqual(FILES);
});

test("what runs elsewhere is the same embedder, other weights are not", () => {
  expect(sameEmbedder(HUB, { ...HUB, device: "webgpu" })).toBe(true);
  expect(sameEmbedder(HUB, { ...HUB, dtype: "fp32" })).toBe(false);
  expect(sameEmbedder(HUB, null)).toBe(false);
  expect(sameEmbedder(null, null)).toBe(true);
});

test("weights are told from those of another precision, with their parts", () => {
  const of = (dtype: EmbedderChoice["dtype"]) =>
    [
      "onnx/model.onnx",
      "onnx/model.onnx_data",
      "onnx/model.onnx_data_1",
      "onnx/model_fp16.onnx",
      "model.onnx",
    ].filter((name) => isOnnxFile(name, dtype));
  expect(of("fp32")).toEqual(["onnx/model.onnx", "onnx/model.onnx_data", "onnx/model.onnx_data_1"]);
  expect(of("fp16")).toEqual(["onnx/model_fp16.onnx"]);
});
