/** @file Text, possibly packed with gzip, unpacked on the platform's stream and counted. */

import { assert } from "./assert.ts";

/** A server may have unpacked it already. */
const isPacked = ([first, second]: Uint8Array): boolean => first === 0x1f && second === 0x8b;

/** @throws past `most` bytes, with the message of `tooLarge` */
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
