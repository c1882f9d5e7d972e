/** @file Sessions of one shape on a device of host memory, which records nothing, for tests of what is done with them. */
import { DATA_TYPES } from "../../graph/emit/protobuf.ts";
import { readOnnx } from "../../graph/testing/readOnnx.ts";
import { assert } from "../../lib/assert.ts";
import type { DType } from "../../graph/ir.ts";
import type { Device, DeviceTensor, FixedSession, TensorData } from "../device.ts";
import { piecesOf, type HostTensor } from "../tensors.ts";

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
        const source = bytesOf((from as HostTensor).native);
        for (const { start, target, bytes } of piecesOf(`session ${name}: "${input}"`, from, to, ends))
          to.write(target, source.subarray(start, start + bytes));
      },
      async run(signal) {
        for (const tensor of Object.values(last)) tensor.dispose();
        last = {};
        last = await session.run(inputs, signal);
        for (const [output, input] of Object.entries(again))
          inputs[input]!.write(0, bytesOf((last[output] as HostTensor).native));
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

const TYPES = new Map<number, DType>(Object.entries(DATA_TYPES).map(([type, code]) => [code, type as DType]));

/** The inputs of a graph all of whose extents are known. */
function portsOf(onnx: Uint8Array): { name: string; type: DType; dims: number[] }[] {
  return readOnnx(onnx).graph.input.map(({ name, type: { tensorType } }) => {
    const dims = tensorType.shape.dim.map(({ dimParam, dimValue }) => {
      assert(dimParam === undefined, () => `"${name}" has the unknown extent "${dimParam}"`);
      return dimValue;
    });
    return { name, type: TYPES.get(tensorType.elemType)!, dims };
  });
}
