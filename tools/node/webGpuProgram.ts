/** @file A program for webGpuDevice.test.ts: what WebGPU in Node does, as JSON on stdout. */
import type { DeviceTensor } from "../../src/runtime/device.ts";
import { openNodeDevice } from "./webGpuDevice.ts";
import { onnxModel } from "../../src/runtime/testing/models.ts";

const list = async (tensor: DeviceTensor | undefined): Promise<number[]> =>
  Array.from((await tensor!.read()) as Float32Array);

const affine = onnxModel({
  inputs: { x: ["float32", ["T", 2]], w: ["float32", [2, 2]] },
  outputs: { y: ["float32", ["T", 2]], twice: ["float32", ["T", 2]] },
  nodes: [
    { op: "Gemm", in: ["x", "w"], out: ["y"], attributes: { transB: 1 } },
    { op: "Add", in: ["y", "y"], out: ["twice"] },
  ],
});
const back = onnxModel({
  inputs: { dy: ["float32", ["T", 2]], w: ["float32", [2, 2]] },
  outputs: { dx: ["float32", ["T", 2]] },
  nodes: [{ op: "MatMul", in: ["dy", "w"], out: ["dx"] }],
});
const rows = onnxModel({
  inputs: { table: ["float32", [3, 2]], ids: ["int64", ["N"]] },
  outputs: { picked: ["float32", ["N", 2]] },
  nodes: [{ op: "Gather", in: ["table", "ids"], out: ["picked"] }],
});
const sign = onnxModel({
  inputs: { x: ["float32", [2]] },
  outputs: { y: ["float32", [2]] },
  nodes: [{ op: "Sign", in: ["x"], out: ["y"] }],
});

const device = await openNodeDevice("webgpu");
const w = device.allocate("float32", [2, 2], "weights");
w.write(0, new Uint8Array(new Float32Array([1, 2]).buffer));
w.write(8, new Uint8Array(new Float32Array([3, 4]).buffer));
const forward = await device.createSession(affine, { name: "forward", weights: { w }, keepOnDevice: ["y"] });
const backward = await device.createSession(back, { name: "backward", weights: { w } });
const gather = await device.createSession(rows, { name: "gather", weights: {} });

const x = device.upload(new Float32Array([1, 1]), "float32", [1, 2], "activation");
const { y, twice } = await forward.run({ x });
const { dx } = await backward.run({ dy: y! });
const table = device.allocate("float32", [3, 2], "vectors");
table.write(0, new Uint8Array(new Float32Array([0, 1, 2, 3, 4, 5]).buffer));
const ids = device.upload(new BigInt64Array([2n, 0n]), "int64", [2], "activation");
const before = await list((await gather.run({ table, ids }))["picked"]);
table.write(16, new Uint8Array(new Float32Array([9]).buffer));
const after = await list((await gather.run({ table, ids }))["picked"]);
let loop = device.upload(new Float32Array([1, 0]), "float32", [1, 2], "activation");
for (let i = 0; i < 20; i++) {
  const out = await forward.run({ x: loop });
  loop.dispose();
  out["twice"]!.dispose();
  loop = out["y"]!;
}
const message = (act: () => Promise<unknown>): Promise<string> =>
  act().then(
    () => "nothing",
    (error: unknown) => (error as Error).message,
  );
const results = {
  y: await list(y),
  twice: await list(twice),
  dx: await list(dx),
  before,
  after,
  loop: await list(loop),
  weight: await list(w),
  refused: await message(() => device.createSession(sign, { name: "sign", weights: {} })),
  lateWrite: await message(() => Promise.resolve().then(() => w.write(0, new Uint8Array(4)))),
};
await device.dispose();
console.log(JSON.stringify({ ...results, bytesAfter: device.ledger.total }));
