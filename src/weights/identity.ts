/** @file The SHA-256 of a model, built from digests taken while its tensors stream by: no second pass. */

import { createSha256, sha256Hex, type Hasher } from "../lib/hash.ts";
import type { CheckpointTensor } from "./checkpoint.ts";

export function identityBuilder(config: Uint8Array) {
  const hashers = new Map<string, { tensor: CheckpointTensor; hasher: Hasher }>();
  return {
    hasherFor(tensor: CheckpointTensor): Hasher {
      const hasher = createSha256();
      hashers.set(tensor.name, { tensor, hasher });
      return hasher;
    },
    /** Call once, at the end: 64 hex digits over config and tensors, independent of their order and sharding. */
    sha256(): string {
      const lines = [...hashers.values()].map(({ tensor, hasher }) =>
        JSON.stringify([tensor.name, tensor.dtype, tensor.shape, hasher.hex()]),
      );
      return sha256Hex([sha256Hex(config), ...lines.sort()].join("\n"));
    },
  };
}
