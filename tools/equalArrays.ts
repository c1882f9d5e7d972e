/**
 * @file Setup of the unit tests: typed arrays of equal bytes are equal at once. Vitest compares them number by number, which
 * takes seconds for the vectors of a memory or the weights of a model. Arrays that differ are still compared by Vitest.
 */
import { expect } from "vitest";

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);

function sameBytes(a: unknown, b: unknown): true | undefined {
  if (!ArrayBuffer.isView(a) || !ArrayBuffer.isView(b) || a.constructor !== b.constructor) return undefined;
  return bytesOf(a).equals(bytesOf(b)) || undefined;
}

// Files that share a worker share the list of testers.
const ADDED = Symbol.for("palimpsest.equalArrays");
if (!(ADDED in globalThis)) {
  Object.assign(globalThis, { [ADDED]: true });
  expect.addEqualityTesters([sameBytes]);
}
