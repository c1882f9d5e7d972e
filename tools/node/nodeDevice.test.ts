import { afterEach, describe, expect, it } from "vitest";
import type { Device } from "../../src/runtime/device.ts";
import { createNodeDevice } from "./nodeDevice.ts";
import { onnxModel } from "../../src/runtime/testing/models.ts";

const twoByTwo = onnxModel({
  inputs: { x: ["float32", ["T", 2]], w: ["float32", [2, 2]] },
  outputs: { y: ["float32", ["T", 2]] },
  nodes: [{ op: "MatMul", in: ["x", "w"], out: ["y"] }],
});

let device: Device | undefined;
afterEach(async () => {
  await device?.dispose();
  device = undefined;
});

async function open(weightsAs: Device["weightsAs"] = "inputs"): Promise<Device> {
  return (device = await createNodeDevice({ backend: "cpu", threads: 1, weightsAs }));
}

describe("node cpu device", () => {
  it("runs a graph with weights bound at creation", async () => {
    const d = await open();
    const w = d.allocate("float32", [2, 2], "weights");
    w.write(0, new Uint8Array(new Float32Array([1, 2]).buffer));
    w.write(8, new Uint8Array(new Float32Array([3, 4]).buffer));
    const session = await d.createSession(twoByTwo, { name: "mul", weights: { w } });
    expect(session.inputs).toEqual(["x"]);
    const x = d.upload(new Float32Array([1, 0, 1, 1]), "float32", [2, 2], "activation");
    const { y } = await session.run({ x });
    expect(y!.dims).toEqual([2, 2]);
    expect(await y!.read()).toEqual(new Float32Array([1, 2, 4, 6]));
  });

  it("feeds an output back without a copy in between", async () => {
    const d = await open();
    const w = d.upload(new Float32Array([2, 0, 0, 2]), "float32", [2, 2], "weights");
    const session = await d.createSession(twoByTwo, { name: "double", weights: { w } });
    let x = d.upload(new Float32Array([1, 3]), "float32", [1, 2], "activation");
    for (let i = 0; i < 10; i++) {
      const { y } = await session.run({ x });
      x.dispose();
      x = y!;
    }
    expect(await x.read()).toEqual(new Float32Array([1024, 3072]));
  });

  it("takes weights as initializers, and the caller may still name them", async () => {
    const d = await open("initializers");
    const w = d.upload(new Float32Array([1, 2, 3, 4]), "float32", [2, 2], "weights");
    const baked = onnxModel({
      inputs: { x: ["float32", [1, 2]] },
      outputs: { y: ["float32", [1, 2]] },
      nodes: [{ op: "MatMul", in: ["x", "w"], out: ["y"] }],
      initializers: { w: { port: ["float32", [2, 2]], data: new Float32Array([1, 2, 3, 4]) } },
    });
    const session = await d.createSession(baked, { name: "baked", weights: { w } });
    const x = d.upload(new Float32Array([1, 1]), "float32", [1, 2], "activation");
    const { y } = await session.run({ x });
    expect(await y!.read()).toEqual(new Float32Array([4, 6]));
    expect(d.ledger.bytes.weights).toBe(16 + baked.byteLength);
  });

  it("carries int64, uint8, bool and float16 bits", async () => {
    const d = await open();
    const model = onnxModel({
      inputs: { x: ["float32", [2]] },
      outputs: { i: ["int64", [2]], u: ["uint8", [2]], b: ["bool", [2]], h: ["float16", [2]] },
      nodes: [
        { op: "Cast", in: ["x"], out: ["i"], attributes: { to: 7 } },
        { op: "Cast", in: ["x"], out: ["u"], attributes: { to: 2 } },
        { op: "Cast", in: ["x"], out: ["b"], attributes: { to: 9 } },
        { op: "Cast", in: ["x"], out: ["h"], attributes: { to: 10 } },
      ],
    });
    const session = await d.createSession(model, { name: "casts", weights: {} });
    const x = d.upload(new Float32Array([0, 2]), "float32", [2], "activation");
    const { i, u, b, h } = await session.run({ x });
    expect(await i!.read()).toEqual(new BigInt64Array([0n, 2n]));
    expect(await u!.read()).toEqual(new Uint8Array([0, 2]));
    expect(await b!.read()).toEqual(new Uint8Array([0, 1]));
    expect(await h!.read()).toEqual(new Uint16Array([0, 0x4000]));

    const halves = onnxModel({
      inputs: { x: ["float16", [2]] },
      outputs: { y: ["float32", [2]] },
      nodes: [{ op: "Cast", in: ["x"], out: ["y"], attributes: { to: 1 } }],
    });
    const back = await d.createSession(halves, { name: "halves", weights: {} });
    const { y } = await back.run({ x: h! });
    expect(await y!.read()).toEqual(new Float32Array([0, 2]));
  });

  it("runs with a dimension of zero, as an empty cache has", async () => {
    const d = await open();
    const model = onnxModel({
      inputs: { past: ["float32", ["P", 2]], x: ["float32", [1, 2]] },
      outputs: { y: ["float32", ["Q", 2]] },
      nodes: [{ op: "Concat", in: ["past", "x"], out: ["y"], attributes: { axis: 0 } }],
    });
    const session = await d.createSession(model, { name: "cache", weights: {} });
    const past = d.upload(new Float32Array(0), "float32", [0, 2], "cache");
    const x = d.upload(new Float32Array([5, 6]), "float32", [1, 2], "activation");
    const { y } = await session.run({ past, x });
    expect(y!.dims).toEqual([1, 2]);
    expect(await y!.read()).toEqual(new Float32Array([5, 6]));
  });

  it("does not see what the caller later writes into an uploaded array, nor into what read gave", async () => {
    const d = await open();
    const data = new Float32Array([1, 2]);
    const tensor = d.upload(data, "float32", [2], "activation");
    data[0] = 9;
    (await tensor.read())[1] = 9;
    expect(await tensor.read()).toEqual(new Float32Array([1, 2]));
  });

  it("goes on after a run that failed", async () => {
    const d = await open();
    const model = onnxModel({
      inputs: { x: ["float32", [4]], shape: ["int64", [1]] },
      outputs: { y: ["float32", ["N"]] },
      nodes: [{ op: "Reshape", in: ["x", "shape"], out: ["y"] }],
    });
    const session = await d.createSession(model, { name: "reshape", weights: {} });
    const x = d.upload(new Float32Array(4), "float32", [4], "activation");
    const shape = (n: bigint) => d.upload(new BigInt64Array([n]), "int64", [1], "activation");
    const bad = session.run({ x, shape: shape(3n) });
    const good = session.run({ x, shape: shape(4n) });
    await expect(bad).rejects.toThrow(/session reshape: run failed: .*Reshape/s);
    expect((await good)["y"]!.dims).toEqual([4]);
  });

  it("names the session when its bytes are no model", async () => {
    const d = await open();
    await expect(d.createSession(new Uint8Array([1, 2, 3]), { name: "broken", weights: {} })).rejects.toThrow(
      /session broken: cannot be created: /,
    );
  });

  it("refuses weights that do not fit the graph", async () => {
    const d = await open();
    const w = d.upload(new Float32Array(6), "float32", [2, 3], "weights");
    await expect(d.createSession(twoByTwo, { name: "mul", weights: { w } })).rejects.toThrow(
      'session mul: input "w" must be [2,2], but got [2,3]',
    );
    await expect(d.createSession(twoByTwo, { name: "mul", weights: { v: w } })).rejects.toThrow(
      'session mul: weight "v" is not an input of the graph; its inputs are "x", "w"',
    );
  });

  it("refuses data whose length or array type does not match", async () => {
    const d = await open();
    expect(() => d.upload(new Float32Array(3), "float32", [2, 2], "weights")).toThrow(
      "runtime: upload has dimensions [2,2], that is 4 elements, but got 3",
    );
    expect(() => d.upload(new Float32Array(4), "int32", [4], "weights")).toThrow(
      "runtime: upload is int32, which travels as Int32Array, but got Float32Array",
    );
    expect(() => d.allocate("int32", [2], "weights").write(4, new Uint8Array(8))).toThrow(
      "runtime: write of 8 bytes at 4 passes the end of tensor int32[2] (8 bytes)",
    );
  });

  it("refuses disposed tensors, foreign tensors and released sessions", async () => {
    const d = await open();
    const other = await createNodeDevice({ backend: "cpu", threads: 1 });
    const w = d.upload(new Float32Array([1, 0, 0, 1]), "float32", [2, 2], "weights");
    const session = await d.createSession(twoByTwo, { name: "mul", weights: { w } });
    const gone = d.upload(new Float32Array(2), "float32", [1, 2], "activation");
    gone.dispose();
    await expect(gone.read()).rejects.toThrow("was disposed");
    const foreign = other.upload(new Float32Array(2), "float32", [1, 2], "activation");
    for (const x of [gone, foreign])
      await expect(session.run({ x })).rejects.toThrow(
        'session mul: "x": the tensor was disposed or belongs to another device',
      );
    await other.dispose();
    await session.release();
    const x = d.upload(new Float32Array(2), "float32", [1, 2], "activation");
    await expect(session.run({ x })).rejects.toThrow("session mul: was released and cannot run");
  });

  it("counts bytes by purpose, and holds nothing after dispose", async () => {
    const d = await open();
    const w = d.upload(new Float32Array(4), "float32", [2, 2], "weights");
    const session = await d.createSession(twoByTwo, { name: "mul", weights: { w } });
    const x = d.upload(new Float32Array(2), "float32", [1, 2], "encode");
    await session.run({ x });
    expect(d.ledger.bytes).toEqual({ weights: 16, cache: 0, encode: 8, vectors: 0, activation: 8 });
    expect(d.ledger.total).toBe(32);
    await d.dispose();
    expect(d.ledger.total).toBe(0);
    expect(d.ledger.peak).toBe(32);
    await expect(session.run({ x })).rejects.toThrow();
  });
});
