/** @file Sessions of one shape on a device of host memory, which records nothing, for tests of what is done with them. */
import { fromBinary } from "@bufbuild/protobuf";
import { ModelProtoSchema, TensorProto_DataType as Type } from "../../graph/proto/onnx_pb.ts";
import { assert } from "../../lib/assert.ts";
import type { Device, DeviceTensor, FixedSession, TensorData, TensorType } from "../device.ts";
import type { HostTensor } from "../hostTensor.ts";
import { piecesOf } from "../pieces.ts";

/** `device` with sessions of one shape, which run as others do. */
export const withFixedSessions = (device: Device): Device => ({
  ...device,
  async createFixedSession(
    onnx,
    { back, inPlace = {}, read, purpose, name, weights },
  ): Promise<FixedSession> {
    const session = await device.createSession(onnx, { name, weights });
    const inputs: Record<string, HostTensor> = {};
    const again = { ...back };
    for (const [output, { input, tensor }] of Object.entries(inPlace)) {
      again[output] = input;
      inputs[input] = tensor as HostTensor;
    }
    for (const port of portsOf(onnx))
      if (!Object.hasOwn({ ...weights, ...inputs }, port.name))
        inputs[port.name] = device.allocate(port.type, port.dims, purpose) as HostTensor;
    let last: Record<string, DeviceTensor> = {};
    return {
      inputs,
      copy(from, input, ends) {
        const to = inputs[input]!;
        const source = bytesOf((from as HostTensor).data);
        for (const { start, target, bytes } of piecesOf(`session ${name}: "${input}"`, from, to, ends))
          to.write(target, source.subarray(start, start + bytes));
      },
      async run(signal) {
        for (const tensor of Object.values(last)) tensor.dispose();
        last = {};
        last = await session.run(inputs, signal);
        for (const [output, input] of Object.entries(again))
          inputs[input]!.write(0, bytesOf((last[output] as HostTensor).data));
        const values = read.map(async (output) => [output, await last[output]!.read()] as const);
        return Object.fromEntries(await Promise.all(values));
      },
      output: (output) => last[output]!.read(),
      async release() {
        for (const tensor of Object.values({ ...last, ...inputs })) tensor.dispose();
        await session.release();
      },
    };
  },
});

const bytesOf = ({ buffer, byteOffset, byteLength }: TensorData): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

const TYPES = new Map<number, TensorType>([
  [Type.FLOAT, "float32"],
  [Type.FLOAT16, "float16"],
  [Type.INT32, "int32"],
  [Type.INT64, "int64"],
  [Type.UINT8, "uint8"],
]);

/** The inputs of a graph all of whose extents are known. */
function portsOf(onnx: Uint8Array): { name: string; type: TensorType; dims: number[] }[] {
  const { input } = fromBinary(ModelProtoSchema, onnx).graph!;
  return input.map(({ name, type }) => {
    const { value } = type!;
    assert(value.case === "tensorType", () => `"${name}" is no tensor`);
    const dims = value.value.shape!.dim.map(({ value: extent }) => {
      assert(extent.case === "dimValue", () => `"${name}" has an extent that is not known`);
      return Number(extent.value);
    });
    return { name, type: TYPES.get(value.value.elemType)!, dims };
  });
}
