/** @file The checks that compute on a device of their own making, in one worker, so that they share its kernels. */
import { captureChecks } from "../checks/capture.ts";
import { catalogChecks } from "../checks/catalog.ts";
import { methodChecks } from "../checks/method.ts";
import { parityChecks } from "../checks/parity.ts";
import { runtimeChecks } from "../checks/runtime.ts";
import { serveChecks } from "../support/serve.ts";

const checks = {
  ...captureChecks,
  ...catalogChecks,
  ...methodChecks,
  ...parityChecks,
  ...runtimeChecks,
} as const;

export type DeviceChecks = typeof checks;
serveChecks(checks);
