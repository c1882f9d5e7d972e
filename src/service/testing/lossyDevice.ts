/** @file A device that can be lost as a GPU can: from then on every run and every read on it fails. */

import {
  DeviceLostError,
  type Device,
  type DeviceLost,
  type DeviceTensor,
  type Session,
} from "../../runtime/device.ts";

export interface LossyDevice extends Device {
  /** Loses it now; calls that are under way fail too. */
  lose(): void;
  /** Loses it when `runs` more runs were made, in the middle of the last one. */
  loseAfter(runs: number): void;
}

const LOSS: DeviceLost = { reason: "unknown", message: "lost by a test" };

export function lossyDevice(device: Device): LossyDevice {
  let lost = false;
  let runsLeft = Infinity;
  let tell: (loss: DeviceLost) => void = () => undefined;
  const told = new Promise<DeviceLost>((resolve) => (tell = resolve));
  const check = (): void => {
    if (lost) throw new DeviceLostError(LOSS);
  };

  function lose(): void {
    lost = true;
    tell(LOSS);
  }

  async function guarded<T>(work: () => Promise<T>): Promise<T> {
    check();
    const result = await work();
    check();
    return result;
  }

  /** Reads fail with the device; the tensor stays the one that the device knows. */
  function breakable<T extends DeviceTensor>(tensor: T): T {
    const read = tensor.read.bind(tensor);
    tensor.read = () => guarded(read);
    return tensor;
  }

  const breakableSession = (session: Session): Session => ({
    ...session,
    run: (feeds, signal) =>
      guarded(async () => {
        const outputs = await session.run(feeds, signal);
        if (--runsLeft <= 0) lose();
        return Object.fromEntries(Object.entries(outputs).map(([name, tensor]) => [name, breakable(tensor)]));
      }),
  });

  return {
    ...device,
    ledger: device.ledger,
    lost: told,
    upload: (...input) => breakable(device.upload(...input)),
    createSession: (onnx, options) =>
      guarded(async () => breakableSession(await device.createSession(onnx, options))),
    lose,
    loseAfter(runs) {
      runsLeft = runs;
    },
  };
}
