/** @file Bad calls and what is said about them; what is inferred is compared with what onnxruntime makes of it. */

import { describe, expect, it } from "vitest";
import { GraphBuilder } from "../build.ts";
import type { Dim, DType, Shape, Tensor } from "../ir.ts";
import { compile, f32, i64, type Value } from "../testing/run.ts";

type Make = (name: string, shape: Shape, dtype?: DType) => Tensor;

/** Attention of one token of two rows, four query heads of four numbers in two groups. */
const attention = (
  b: GraphBuilder,
  t: Make,
  {
    own = [2, 1, 8],
    past = [2, 2, 5, 4],
    counts = "int32",
  }: { own?: Shape; past?: Shape; counts?: DType } = {},
) =>
  b.GroupQueryAttention(
    t("query", [2, 1, 16]),
    { key: t("key", own), value: t("value", own) },
    { key: t("k", past), value: t("v", past) },
    { seen: t("seen", [2], counts), total: t("total", [], counts) },
    { heads: 4, kvHeads: 2, scale: 0.5 },
  );

/** What is called, and words that its error must hold: the node's address, the shapes, the reason. */
const BAD_CALLS: readonly (readonly [
  what: string,
  call: (b: GraphBuilder, t: Make) => unknown,
  words: readonly string[],
])[] = [
  [
    "Add of extents that differ",
    (b, t) => b.Add(t("a", [2, 3]), t("b", [2, 4])),
    ["/net/Add", "[2, 3]", "[2, 4]", "extents 3 and 4 differ"],
  ],
  [
    "Mul of a name with a number",
    (b, t) => b.Mul(t("a", ["time", 3]), t("b", [5, 3])),
    ["/net/Mul", "[time, 3]", "[5, 3]", "time and 5 differ"],
  ],
  [
    "Sub of two types",
    (b, t) => b.Sub(t("a", [2]), t("b", [2], "int64")),
    ["/net/Sub", "b is int64", "a is float32", "cast one"],
  ],
  [
    "MatMul whose inner extents differ",
    (b, t) => b.MatMul(t("a", [2, 3]), t("b", [4, 5])),
    ["/net/MatMul", "[2, 3]", "[4, 5]", "3 is not 4"],
  ],
  ["MatMul of a vector", (b, t) => b.MatMul(t("a", [3]), t("b", [3, 5])), ["/net/MatMul", "two axes"]],
  [
    "MatMul whose batches differ",
    (b, t) => b.MatMul(t("a", [2, 4, 3]), t("b", [3, 3, 5])),
    ["/net/MatMul", "cannot broadcast [2] with [3]"],
  ],
  [
    "Gemm with the wrong side transposed",
    (b, t) => b.Gemm(t("a", [2, 3]), t("b", [3, 4]), { transB: 1 }),
    ["/net/Gemm", "[2, 3]", "[3, 4]", "3 is not 4"],
  ],
  [
    "Gemm of three axes",
    (b, t) => b.Gemm(t("a", [1, 2, 3]), t("b", [3, 4])),
    ["/net/Gemm", "takes matrices", "[1, 2, 3]"],
  ],
  [
    "Reshape to another number of elements",
    (b, t) => b.Reshape(t("a", [2, 6]), [3, 5]),
    ["/net/Reshape", "[2, 6] (12 elements)", "[3, 5] (15)"],
  ],
  [
    "Reshape to another number beside the same name",
    (b, t) => b.Reshape(t("a", [2, "time", 8]), ["2*time", 4]),
    ["/net/Reshape", "[2, time, 8] (16 * time elements)", "[2*time, 4] (8 * time)"],
  ],
  [
    "Transpose that forgets an axis",
    (b, t) => b.Transpose(t("a", [2, 3, 4]), [0, 2]),
    ["/net/Transpose", "[0, 2] does not permute", "[2, 3, 4]"],
  ],
  [
    "Transpose that repeats an axis",
    (b, t) => b.Transpose(t("a", [2, 3]), [1, 1]),
    ["/net/Transpose", "[1, 1]"],
  ],
  [
    "Concat of other extents beside the axis",
    (b, t) => b.Concat([t("a", [2, 3]), t("b", [3, 3])], 1),
    ["/net/Concat", "b [3, 3]", "[2, 3]", "axis 1"],
  ],
  [
    "Concat of other ranks",
    (b, t) => b.Concat([t("a", [2, 3]), t("b", [2, 3, 1])], 1),
    ["/net/Concat", "b [2, 3, 1]"],
  ],
  [
    "an axis that is not there",
    (b, t) => b.ReduceSum(t("a", [2, 3]), [2]),
    ["/net/ReduceSum", "axis 2", "[2, 3]"],
  ],
  ["Slice of nothing", (b, t) => b.Slice(t("a", [2, 3]), 1, 2, 2), ["/net/Slice", "2..2", "[2, 3]", "empty"]],
  ["Slice past the end", (b, t) => b.Slice(t("a", [2, 3]), 1, 3), ["/net/Slice", "empty"]],
  [
    "Slice named otherwise than it is",
    (b, t) => b.Slice(t("a", [2, 3]), 1, 1, 3, "time"),
    ["/net/Slice", "has extent 2, not time"],
  ],
  [
    "Slice of an unknown extent from its end to a number",
    (b, t) => b.Slice(t("a", ["time"]), 0, -3, 5),
    ["/net/Slice", "-3..5", "name it"],
  ],
  [
    "SliceBetween with bounds that are no int64 [1]",
    (b, t) => b.SliceBetween(t("a", ["time"]), 0, t("s", [1], "int32"), b.int64([3]), "cut"),
    ["/net/SliceBetween", "s is int32 [1]", "int64 [1]"],
  ],
  ["Pad with too few pads", (b, t) => b.Pad(t("a", [2, 3]), [1, 1]), ["/net/Pad", "needs 4 pads", "[1, 1]"]],
  ["Pad by a negative number", (b, t) => b.Pad(t("a", [2]), [-1, 0]), ["/net/Pad", "[-1, 0]"]],
  [
    "Gather with float indices",
    (b, t) => b.Gather(t("a", [4, 2]), t("i", [3]), 0),
    ["/net/Gather", "i are float32", "int64"],
  ],
  [
    "MatMulNBits of another width",
    (b, t) => b.MatMulNBits(t("a", [2, 48]), b.blocked("w", [5, 40], 8)),
    ["/net/MatMulNBits", "[2, 48]", "[5, 40] in blocks"],
  ],
  [
    "GatherBlockQuantized of half as many levels",
    (b, t) => b.GatherBlockQuantized(t("r", [5, 16], "uint8"), t("i", [3], "int64"), t("s", [5, 2]), 4),
    ["/net/GatherBlockQuantized", "r is uint8 [5, 16]", "uint8 [5, 32]"],
  ],
  [
    "DequantizeLinear of floats",
    (b, t) => b.DequantizeLinear(t("x", [5, 64]), t("s", [5, 2]), t("z", [5, 2], "uint8")),
    ["/net/DequantizeLinear", "x is float32 [5, 64]", "uint8"],
  ],
  [
    "GatherElements with float indices",
    (b, t) => b.GatherElements(t("a", [4, 2]), t("i", [4, 1]), 1),
    ["/net/GatherElements", "i are float32"],
  ],
  [
    "GatherElements with fewer axes",
    (b, t) => b.GatherElements(t("a", [4, 2]), t("i", [4], "int64"), 1),
    ["/net/GatherElements", "indices [4]", "[4, 2]", "axis 1"],
  ],
  [
    "GatherElements beyond another axis",
    (b, t) => b.GatherElements(t("a", [4, 2]), t("i", [5, 1], "int64"), 1),
    ["/net/GatherElements", "indices [5, 1]", "[4, 2]"],
  ],
  [
    "ScatterElements without an index per update",
    (b, t) => b.ScatterElements(t("a", [4, 2]), t("i", [4, 1], "int64"), t("u", [4, 2]), 1, "add"),
    ["/net/ScatterElements", "[4, 2]", "[4, 1]"],
  ],
  [
    "Where on numbers",
    (b, t) => b.Where(t("c", [2]), t("a", [2]), t("b", [2])),
    ["/net/Where", "c is float32", "bool"],
  ],
  ["Not of a number", (b, t) => b.Not(t("c", [2])), ["/net/Not", "c is float32", "bool"]],
  [
    "SkipSimplifiedLayerNormalization of two shapes",
    (b, t) => b.SkipSimplifiedLayerNormalization(t("a", [2, 8]), t("y", [8]), t("s", [8]), 1e-6),
    ["/net/SkipSimplifiedLayerNormalization", "[8]", "[2, 8]", "alike"],
  ],
  [
    "RotaryEmbedding by tables of other heads",
    (b, t) => b.RotaryEmbedding(t("a", [2, 1, 12]), t("p", [2, 1], "int64"), t("c", [9, 4]), t("s", [9, 4])),
    ["/net/RotaryEmbedding", "[2, 1, 12]", "heads * 8"],
  ],
  [
    "RotaryEmbedding without a position each",
    (b, t) => b.RotaryEmbedding(t("a", [2, 1, 16]), t("p", [1], "int64"), t("c", [9, 4]), t("s", [9, 4])),
    ["/net/RotaryEmbedding", "int64 [1]", "int64 [2, 1]"],
  ],
  [
    "GroupQueryAttention over a past of other heads",
    (b, t) => attention(b, t, { past: [2, 3, 5, 4] }),
    ["/net/GroupQueryAttention", "k is float32 [2, 3, 5, 4]", "[2, 2, 5, 4]"],
  ],
  [
    "GroupQueryAttention with keys for each query head",
    (b, t) => attention(b, t, { own: [2, 1, 16] }),
    ["/net/GroupQueryAttention", "key is float32 [2, 1, 16]", "[2, 1, 8]"],
  ],
  [
    "GroupQueryAttention with lengths as int64",
    (b, t) => attention(b, t, { counts: "int64" }),
    ["/net/GroupQueryAttention", "seen is int64", "int32"],
  ],
  [
    "a norm whose scale does not fit",
    (b, t) => b.SimplifiedLayerNormalization(t("a", [2, 8]), t("s", [4]), 1e-6),
    ["/net/SimplifiedLayerNormalization", "[4]", "[2, 8]"],
  ],
];

describe("a bad call names the node, the shapes and the reason", () => {
  it.each(BAD_CALLS)("%s", (_, call, words) => {
    const b = new GraphBuilder("bad");
    const make: Make = (name, shape, dtype = "float32") => b.input(name, dtype, shape);
    let message = "no error";
    b.scope("net", () => {
      try {
        call(b, make);
      } catch (error) {
        message = (error as Error).message;
      }
    });
    expect(message).toMatch(/^graph: /);
    for (const word of words) expect(message).toContain(word);
  });
});

/** Slices of a known and of an unknown extent must say what onnxruntime then makes. */
const SLICES: readonly (readonly [start: number, end: number | undefined])[] = [
  [0, undefined],
  [2, undefined],
  [-2, undefined],
  [-9, undefined],
  [1, 3],
  [1, -1],
  [-3, -1],
  [0, 99],
];

describe("what is inferred is what onnxruntime makes", () => {
  const run = async (axis0: Dim, start: number, end: number | undefined, value: Value) => {
    const b = new GraphBuilder("slice");
    const y = b.Slice(b.input("x", "float32", [axis0, 2]), 0, start, end);
    b.output("y", y);
    return { said: y.shape[0]!, made: (await (await compile(b.finish()))({ x: value }))["y"]!.dims[0]! };
  };

  it.each(SLICES)("slice %s..%s of 5", async (start, end) => {
    const { said, made } = await run(5, start, end, f32([5, 2], new Float32Array(10)));
    expect(said).toBe(made);
  });

  it.each(SLICES.filter(([start, end]) => start > -9 && end !== 99))(
    "slice %s..%s of an unknown extent that turns out to be 5",
    async (start, end) => {
      const { said, made } = await run("time", start, end, f32([5, 2], new Float32Array(10)));
      const meant = typeof said === "number" ? said : Number(new Function("time", `return ${said}`)(5));
      expect(meant).toBe(made);
    },
  );

  it("a slice of an unknown extent to a number trusts that there are as many", () => {
    const b = new GraphBuilder("slice");
    expect(b.Slice(b.input("x", "float32", ["time"]), 0, 1, 4).shape).toEqual([3]);
    expect(b.Slice(b.input("z", "float32", ["time"]), 0, -4, 3, "cut").shape).toEqual(["cut"]);
  });

  it("reshape copies an unknown extent that keeps its axis, and works out one that does not", async () => {
    const b = new GraphBuilder("reshape");
    const x = b.input("x", "float32", [2, "time", 6]);
    b.output("kept", b.Reshape(x, [2, "time", 3, 2]));
    b.output("joined", b.Reshape(x, ["2*time", 6]));
    b.output("both", b.Reshape(b.input("y", "float32", ["a", "b", 4]), ["a", "b", 2, 2]));
    b.output("moved", b.Reshape(b.Transpose(x, [1, 0, 2]), ["time", 12]));
    const out = await (
      await compile(b.finish())
    )({
      x: f32([2, 3, 6], new Float32Array(36)),
      y: f32([3, 5, 4], new Float32Array(60)),
    });
    expect(Object.fromEntries(Object.entries(out).map(([k, v]) => [k, v.dims]))).toEqual({
      kept: [2, 3, 3, 2],
      joined: [6, 6],
      both: [3, 5, 2, 2],
      moved: [3, 12],
    });
  });

  it("element-wise gathers and scatters keep the shapes they should", async () => {
    const b = new GraphBuilder("elements");
    const [x, ids] = [b.input("x", "float32", [2, 4]), b.input("ids", "int64", [2, 3])];
    const picked = b.GatherElements(x, ids, 1);
    const back = b.ScatterElements(x, ids, picked, 1, "add");
    b.output("picked", picked);
    b.output("back", back);
    expect([picked.shape, back.shape]).toEqual([
      [2, 3],
      [2, 4],
    ]);
    const out = await (
      await compile(b.finish())
    )({
      x: f32([2, 4], [1, 2, 3, 4, 5, 6, 7, 8]),
      ids: i64([2, 3], [3, 3, 0, 1, 1, 1]),
    });
    expect([...out["picked"]!.data]).toEqual([4, 4, 1, 6, 6, 6]);
    expect([...out["back"]!.data]).toEqual([2, 2, 3, 12, 5, 24, 7, 8]);
  });
});
