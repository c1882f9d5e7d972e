import { describe, expect, it } from "vitest";
import type { DType } from "../graph/ir.ts";
import type { DeviceTensor } from "./device.ts";
import { hostTensor, byteCount, viewAs } from "./tensors.ts";
import { checkFeeds, checkWeights, readPorts } from "./ports.ts";

const tensor = (type: DType, dims: number[]): DeviceTensor =>
  hostTensor(viewAs(type, new ArrayBuffer(byteCount(type, dims, "test"))), type, dims, () => undefined);

const ports = readPorts("s", [
  { name: "ids", isTensor: true, type: "int64", shape: ["batch", "time"] },
  { name: "bias", isTensor: true, type: "float32", shape: ["batch", 1, "time"] },
]);

describe("checkFeeds", () => {
  const ids = tensor("int64", [2, 3]);
  const bias = tensor("float32", [2, 1, 3]);
  const fed = (feeds: Record<string, DeviceTensor>) => () => checkFeeds("s", ports, feeds);

  it("accepts what the graph declares", () => {
    expect(fed({ ids, bias })).not.toThrow();
  });

  it.each([
    ["a missing input", { ids }, 'session s: input "bias" is not fed; got "ids"'],
    [
      "an unknown input",
      { ids, bias, x: ids },
      `session s: "x" fed, but the graph's inputs are "ids", "bias"`,
    ],
    [
      "a wrong type",
      { ids: tensor("int32", [2, 3]), bias },
      'session s: input "ids" must be int64, but got int32',
    ],
    [
      "a wrong rank",
      { ids, bias: tensor("float32", [2, 3]) },
      'session s: input "bias" must be [batch,1,time], but got [2,3]',
    ],
    [
      "a wrong fixed extent",
      { ids, bias: tensor("float32", [2, 2, 3]) },
      'session s: input "bias" must be [batch,1,time], but got [2,2,3]',
    ],
    [
      "a symbolic extent of two sizes",
      { ids, bias: tensor("float32", [2, 1, 4]) },
      'session s: input "bias" must be [batch,1,time], but got [2,1,4]: time is 3 in "ids"',
    ],
  ])("refuses %s", (_, feeds, message) => {
    expect(fed(feeds)).toThrow(message);
  });
});

it("checks weights against the graph's inputs", () => {
  expect(() => checkWeights("s", ports, { w: tensor("float32", [1]) })).toThrow(
    'session s: weight "w" is not an input of the graph; its inputs are "ids", "bias"',
  );
});

it("refuses graphs with types that the runtime does not carry", () => {
  expect(() => readPorts("s", [{ name: "d", isTensor: true, type: "float64", shape: [] }])).toThrow(
    'session s: "d" is float64, which the runtime does not carry',
  );
  expect(() => readPorts("s", [{ name: "q", isTensor: false }])).toThrow('"q" is not a tensor');
});
