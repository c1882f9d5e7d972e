/** @file The safetensors format: header length (8 bytes, little-endian), JSON header, tensors without gaps. */

import { messageOf } from "./assert.ts";
import { isObject } from "./check.ts";
import { closingQuote, isDeeper } from "./deepJson.ts";

// The pure folders compile without the DOM library; every host has these globals.
declare const TextEncoder: new () => { encode(text: string): Uint8Array };
declare const TextDecoder: new (
  label: string,
  options: { fatal: boolean; ignoreBOM: boolean },
) => { decode(bytes: Uint8Array): string };

const DTYPES = {
  4: ["F4"],
  6: ["F6_E2M3", "F6_E3M2"],
  8: ["BOOL", "U8", "I8", "F8_E5M2", "F8_E4M3", "F8_E8M0", "F8_E5M2FNUZ", "F8_E4M3FNUZ"],
  16: ["I16", "U16", "F16", "BF16"],
  32: ["I32", "U32", "F32"],
  64: ["F64", "I64", "U64", "C64"],
} as const;
export type Dtype = (typeof DTYPES)[keyof typeof DTYPES][number];
const DTYPE_BITS = Object.fromEntries(
  Object.entries(DTYPES).flatMap(([bits, names]) => names.map((name) => [name, Number(bits)])),
) as Readonly<Record<Dtype, number>>;

export interface TensorInfo extends TensorSpec {
  readonly start: number;
  readonly end: number;
}

export interface SafetensorsHeader {
  readonly tensors: readonly TensorInfo[];
  readonly metadata: Readonly<Record<string, string>>;
}

export interface TensorSpec {
  readonly name: string;
  readonly dtype: Dtype;
  readonly shape: readonly number[];
}

export const PREFIX_BYTES = 8;
/** The format allows 100 MB; no checkpoint has a tenth of this, and parsed JSON is ten times as large. */
const MAX_HEADER_BYTES = 16_000_000;
const DEEPEST = 3;
const REPAIR = "The file is damaged or its writer is faulty: download or export it again.";

/** Length of the JSON header, from the first 8 bytes. @throws if it is zero, past the limit or past the file's end */
export function headerLength(prefix: Uint8Array, fileSize: number, file: string): number {
  if (fileSize < PREFIX_BYTES || prefix.length < PREFIX_BYTES)
    fail(file, `the file has ${fileSize} bytes, but a safetensors file starts with an 8-byte header length`);
  const view = new DataView(prefix.buffer, prefix.byteOffset, PREFIX_BYTES);
  const length = view.getBigUint64(0, true);
  if (length > MAX_HEADER_BYTES)
    fail(
      file,
      `the header length is ${length}, past the limit of ${MAX_HEADER_BYTES} (is this a safetensors file?)`,
    );
  if (length < 2) fail(file, `the header length is ${length}, but the shortest header is {} with 2 bytes`);
  if (PREFIX_BYTES + Number(length) > fileSize)
    fail(
      file,
      `the header length is ${length}, but only ${fileSize - PREFIX_BYTES} bytes follow it; the file is cut off`,
    );
  return Number(length);
}

/** @param header the JSON bytes after the length @param file its name @throws naming file, tensor, value and expectation */
export function parseHeader(header: Uint8Array, fileSize: number, file: string): SafetensorsHeader {
  const root = parseJson(header, file);
  const dataStart = PREFIX_BYTES + header.length;
  const tensors: TensorInfo[] = [];
  let metadata: Record<string, string> = {};
  for (const [name, value] of Object.entries(root)) {
    if (name === "__metadata__") metadata = parseMetadata(value, file);
    else tensors.push(parseTensor(name, value, dataStart, file));
  }
  tensors.sort((a, b) => a.start - b.start || a.end - b.end);
  checkCoverage(tensors, dataStart, fileSize, file);
  return { tensors, metadata };
}

export function parseFile(bytes: Uint8Array, file: string): SafetensorsHeader {
  const length = headerLength(bytes.subarray(0, PREFIX_BYTES), bytes.length, file);
  return parseHeader(bytes.subarray(PREFIX_BYTES, PREFIX_BYTES + length), bytes.length, file);
}

/** Length and JSON header, padded to a multiple of 8. The tensors' bytes follow in the given order, without gaps. */
export function encodeHeader(
  tensors: readonly TensorSpec[],
  metadata: Readonly<Record<string, string>> = {},
): Uint8Array {
  // A Map: a tensor named "__proto__" becomes a key, and a repeated name is refused.
  const header = new Map<string, unknown>();
  if (Object.keys(metadata).length > 0) header.set("__metadata__", metadata);
  let offset = 0;
  for (const { name, dtype, shape } of tensors) {
    if (header.has(name) || name === "__metadata__")
      throw new Error(`safetensors: cannot write a tensor named "${name}": the name is taken`);
    const end = offset + tensorBytes(dtype, shape);
    header.set(name, { dtype, shape, data_offsets: [offset, end] });
    offset = end;
  }
  const json = new TextEncoder().encode(JSON.stringify(Object.fromEntries(header)));
  const length = Math.ceil(json.length / 8) * 8;
  const bytes = new Uint8Array(PREFIX_BYTES + length).fill(0x20);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(length), true);
  bytes.set(json, PREFIX_BYTES);
  return bytes;
}

export function readBytes(bytes: Uint8Array, { start, end }: TensorInfo): ArrayBuffer {
  // Not bytes.slice: on a Node Buffer that is a view of the same memory, and not aligned.
  const copy = new Uint8Array(end - start);
  copy.set(bytes.subarray(start, end));
  return copy.buffer;
}

/** Bytes of a tensor; NaN when the bits do not fill whole bytes or the product is not a safe integer. */
export function tensorBytes(dtype: Dtype, shape: readonly number[]): number {
  const bytes = (shape.reduce((product, size) => product * size, 1) * DTYPE_BITS[dtype]) / 8;
  return Number.isSafeInteger(bytes) ? bytes : NaN;
}

function parseJson(header: Uint8Array, file: string): Record<string, unknown> {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(header);
  } catch {
    fail(file, "the header is not UTF-8 text");
  }
  if (!text.startsWith("{"))
    fail(file, `the header starts with ${JSON.stringify(text.slice(0, 12))}, "{" expected`);
  if (isDeeper(text, DEEPEST)) fail(file, `the header nests its values more than ${DEEPEST} deep`);
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch (error) {
    fail(file, `the header is not valid JSON (${messageOf(error)})`);
  }
  const repeated = repeatedKey(text);
  if (repeated !== undefined) fail(file, `the key "${repeated}" occurs twice in one object of the header`);
  return root as Record<string, unknown>;
}

/** The first key that one object of `json` (valid JSON) holds twice; JSON.parse would silently keep the last. */
function repeatedKey(json: string): string | undefined {
  const open: (Set<string> | null)[] = []; // null: an array
  let keyNext = false;
  for (let i = 0; i < json.length; i++) {
    const c = json[i]!;
    if (c === "{" || c === "[") open.push(c === "{" ? new Set() : null);
    else if (c === "}" || c === "]") open.pop();
    if (c === "{" || c === ",") keyNext = open.at(-1) !== null;
    else if (c === '"') {
      const end = closingQuote(json, i);
      if (keyNext) {
        const key = JSON.parse(json.slice(i, end + 1)) as string;
        const keys = open.at(-1);
        if (keys?.has(key)) return key;
        keys?.add(key);
        keyNext = false;
      }
      i = end;
    }
  }
  return undefined;
}

function parseMetadata(value: unknown, file: string): Record<string, string> {
  if (!isObject(value)) fail(file, `__metadata__ is ${show(value)}, an object of strings expected`);
  for (const [key, text] of Object.entries(value)) {
    if (typeof text !== "string") fail(file, `__metadata__ "${key}" is ${show(text)}, a string expected`);
  }
  return value as Record<string, string>;
}

function parseTensor(name: string, value: unknown, dataStart: number, file: string): TensorInfo {
  const place = `${file}: tensor "${name}"`;
  if (!isObject(value)) fail(place, `its entry is ${show(value)}, an object expected`);
  const { dtype, shape, data_offsets: offsets } = value;
  if (typeof dtype !== "string" || !Object.hasOwn(DTYPE_BITS, dtype))
    fail(place, `dtype is ${show(dtype)}; known are ${Object.keys(DTYPE_BITS).join(", ")}`);
  if (!isCounts(shape)) fail(place, `shape is ${show(shape)}, a list of whole numbers >= 0 expected`);
  if (!isCounts(offsets) || offsets.length !== 2 || offsets[0]! > offsets[1]!)
    fail(place, `data_offsets is ${show(offsets)}, [begin, end] with 0 <= begin <= end expected`);
  const [begin, end] = offsets as [number, number];
  const needed = tensorBytes(dtype as Dtype, shape);
  if (Number.isNaN(needed))
    fail(place, `shape ${show(shape)} of ${dtype} does not take a whole, safe number of bytes`);
  if (needed !== end - begin)
    fail(
      place,
      `shape ${show(shape)} of ${dtype} needs ${needed} bytes, but data_offsets ${show(offsets)} hold ${end - begin}`,
    );
  return { name, dtype: dtype as Dtype, shape, start: dataStart + begin, end: dataStart + end };
}

function checkCoverage(tensors: readonly TensorInfo[], dataStart: number, fileSize: number, file: string) {
  let at = dataStart;
  let previous = "the header";
  for (const { name, start, end } of tensors) {
    const place = `${file}: tensor "${name}"`;
    const offsets = `data_offsets [${start - dataStart}, ${end - dataStart}]`;
    if (end > fileSize)
      fail(
        place,
        `${offsets} end past the file, which has ${fileSize - dataStart} bytes of data; the file is cut off`,
      );
    if (start < at) fail(place, `${offsets} overlap "${previous}", which ends at ${at - dataStart}`);
    if (start > at) fail(place, `${offsets} leave a hole of ${start - at} bytes after "${previous}"`);
    at = end;
    previous = name;
  }
  if (at !== fileSize)
    fail(
      file,
      `${fileSize - at} bytes follow the last tensor "${previous}"; the tensors must fill the file exactly`,
    );
}

function isCounts(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((n) => Number.isSafeInteger(n) && n >= 0);
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? "missing";
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

function fail(place: string, what: string): never {
  throw new Error(`safetensors: ${place}: ${what}. ${REPAIR}`);
}
