/** @file Devices that compute wrongly, for tests of the self-test. */
import type { Device, DeviceTensor, FixedSession, Session } from "../device.ts";

/** `device`, except that the largest number of one output of one session is changed at each run. */
export function corrupted(
  device: Device,
  session: string,
  output: string,
  change: (x: number) => number,
): Device {
  const spoil = async (tensor: DeviceTensor): Promise<DeviceTensor> => {
    const data = Array.from(await tensor.read(), Number);
    const at = data.reduce((best, x, i) => (Math.abs(x) > Math.abs(data[best]!) ? i : best), 0);
    data[at] = change(data[at]!);
    tensor.dispose();
    const spoilt = tensor.type === "int64" ? BigInt64Array.from(data, BigInt) : Float32Array.from(data);
    return device.upload(spoilt, tensor.type, tensor.dims, "activation");
  };
  return {
    ...device,
    async createSession(onnx, options): Promise<Session> {
      const real = await device.createSession(onnx, options);
      if (options.name !== session) return real;
      return {
        ...real,
        run: async (feeds) => {
          const out = await real.run(feeds);
          return { ...out, [output]: await spoil(out[output]!) };
        },
      };
    },
  };
}

/** `device`, whose recorded sessions read other values than they computed. */
export const misreading = (device: Device): Device => ({
  ...device,
  async createFixedSession(...args) {
    const session = await device.createFixedSession!(...args);
    const run: FixedSession["run"] = async (signal) => {
      const { loss, ...others } = await session.run(signal);
      return { ...others, loss: (loss as Float32Array).map((x) => x * (1 + 2 ** -22)) };
    };
    return { ...session, run };
  },
});
