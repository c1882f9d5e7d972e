/** @file The errors of the runtime that callers branch on. */
import type { DeviceLost } from "./device.ts";

/** There is no usable GPU; `reason` says which step found none and `next` what a person can do. */
export class WebGpuUnavailable extends Error {
  override name = "WebGpuUnavailable";
  readonly reason: "insecure context" | "no navigator.gpu" | "no adapter" | "no device";
  readonly next: string;

  constructor(reason: WebGpuUnavailable["reason"], next: string, options?: ErrorOptions) {
    super(`webgpu: unavailable (${reason}). ${next}`, options);
    this.reason = reason;
    this.next = next;
  }
}

/** The device went away; everything on it is gone. Open a new device and load the model again. */
export class DeviceLostError extends Error {
  override name = "DeviceLostError";
  readonly lost: DeviceLost;

  constructor(lost: DeviceLost) {
    super(
      `webgpu: the device was lost (${lost.reason}): ${lost.message || "no message"}. Open it again and reload the model.`,
    );
    this.lost = lost;
  }
}
