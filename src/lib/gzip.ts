/** @file Text that gzip may have packed, unpacked on the platform's own stream and counted while it is. */

import { assert } from "./assert.ts";

/** Whether it begins as gzip does: a server may have unpacked it on the way. */
const isPacked = ([first, second]: Uint8Array): boolean => first === 0x1f && second === 0x8b;

/**
 * The text of a file, packed or not.
 * @throws past `most` bytes, in the words of `tooLarge`
 */
export async function unpackedText(
  bytes: Uint8Array<ArrayBuffer>,
  most: number,
  tooLarge: () => string,
): Promise<string> {
  const decoder = new TextDecoder();
  if (!isPacked(bytes)) return decoder.decode(bytes);
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")).getReader();
  const pieces: string[] = [];
  let size = 0;
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    size += chunk.value.length;
    if (size > most) await reader.cancel();
    assert(size <= most, tooLarge);
    pieces.push(decoder.decode(chunk.value, { stream: true }));
  }
  return pieces.join("") + decoder.decode();
}
