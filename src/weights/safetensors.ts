/** @file Opening a safetensors file: its header through a ByteSource, nothing of its data. */

import { headerLength, parseHeader, PREFIX_BYTES } from "../lib/safetensors.ts";
import type { SafetensorsHeader } from "../lib/safetensors.ts";
import type { ByteSource } from "./source.ts";

/**
 * Reads and validates the header.
 * @param name how errors call the file
 * @throws if the file is not a safetensors file, is truncated, or has an invalid header; see src/lib/safetensors.ts
 */
export async function readHeader(
  source: ByteSource,
  name: string = source.name,
  signal?: AbortSignal,
): Promise<SafetensorsHeader> {
  const prefix = await source.read(0, Math.min(PREFIX_BYTES, source.size), signal);
  const length = headerLength(prefix, source.size, name);
  return parseHeader(await source.read(PREFIX_BYTES, PREFIX_BYTES + length, signal), source.size, name);
}
