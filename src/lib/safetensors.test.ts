import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeHeader, headerLength, parseFile, readBytes, tensorBytes } from "./safetensors.ts";

/** A file with this header text and `data` zero bytes; `length` overrides the length field. */
function fileOf(header: string | Uint8Array, data: number, length?: bigint): Uint8Array {
  const json = typeof header === "string" ? new TextEncoder().encode(header) : header;
  const bytes = new Uint8Array(8 + json.length + data);
  new DataView(bytes.buffer).setBigUint64(0, length ?? BigInt(json.length), true);
  bytes.set(json, 8);
  return bytes;
}

const entry = (dtype: unknown, shape: unknown, offsets: unknown): unknown => ({
  dtype,
  shape,
  data_offsets: offsets,
});
const f32x2 = (begin: number): unknown => entry("F32", [2], [begin, begin + 8]);
const parse = (header: unknown, data: number): unknown =>
  parseFile(fileOf(JSON.stringify(header), data), "m.safetensors");

describe("reading", () => {
  test("gives tensors in the order of their bytes, whatever the order of the JSON", () => {
    const header = parseFile(fileOf(JSON.stringify({ b: f32x2(8), a: f32x2(0) }), 16), "m");
    expect(header.tensors.map((t) => t.name)).toEqual(["a", "b"]);
    expect(header.tensors[1]!.end - header.tensors[0]!.start).toBe(16);
  });

  test("accepts scalars, empty tensors, no tensors, metadata and trailing spaces", () => {
    const text = `{"__metadata__":{"format":"pt"},"s":${JSON.stringify(entry("F16", [], [0, 2]))},"e":${JSON.stringify(entry("F32", [0, 7], [2, 2]))}}   `;
    const header = parseFile(fileOf(text, 2), "m");
    expect(header.metadata).toEqual({ format: "pt" });
    expect(header.tensors.map((t) => t.shape)).toEqual([[], [0, 7]]);
    expect(parseFile(fileOf("{}", 0), "m").tensors).toEqual([]);
  });

  test("what the writer wrote is what the reader reads, bit for bit", () => {
    const shape = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 3 });
    const specs = fc.uniqueArray(
      fc.record({ name: fc.string({ unit: "binary" }), shape, dtype: fc.constant("F32" as const) }),
      { selector: (t) => t.name, maxLength: 5 },
    );
    fc.assert(
      fc.property(specs, fc.infiniteStream(fc.integer()), (tensors, numbers) => {
        // JSON text in UTF-8 cannot hold half a surrogate pair.
        fc.pre(tensors.every((t) => t.name.isWellFormed() && t.name !== "__metadata__"));
        const data = tensors.map((t) =>
          Int32Array.from({ length: tensorBytes("F32", t.shape) / 4 }, () => numbers.next().value as number),
        );
        const file = Buffer.concat([
          encodeHeader(tensors, { a: "b" }),
          ...data.map((d) => new Uint8Array(d.buffer)),
        ]);
        const header = parseFile(file, "m");
        for (const [i, spec] of tensors.entries()) {
          const info = header.tensors.find((t) => t.name === spec.name)!;
          expect(info.shape).toEqual(spec.shape);
          expect(new Int32Array(readBytes(file, info))).toEqual(data[i]);
        }
      }),
      { seed: 4 },
    );
  });
});

describe("writing", () => {
  test("starts the data at a multiple of 8", () => {
    for (let n = 1; n < 12; n++) {
      expect(encodeHeader([{ name: "x".repeat(n), dtype: "F32", shape: [1] }]).length % 8).toBe(0);
    }
  });

  test("refuses a repeated name and the reserved one", () => {
    const spec = { name: "x", dtype: "F32", shape: [1] } as const;
    expect(() => encodeHeader([spec, spec])).toThrow(/"x": the name is taken/);
    expect(() => encodeHeader([{ ...spec, name: "__metadata__" }])).toThrow(/taken/);
  });
});

describe("bad headers are refused, naming file, tensor, value and what was expected", () => {
  test.each<[string, Uint8Array, RegExp]>([
    ["an empty file", new Uint8Array(0), /m: the file has 0 bytes.*8-byte header length.*download/],
    ["a file of 5 bytes", new Uint8Array(5), /the file has 5 bytes/],
    ["a truncated header", fileOf('{"a":{}}', 0, 9000n), /length is 9000, but only 8 bytes follow.*cut off/],
    [
      "a length past the limit",
      fileOf("{}", 0, 2n ** 60n),
      /1152921504606846976, past the limit of 16000000/,
    ],
    ["a length of zero", fileOf("", 40, 0n), /length is 0/],
    ["a length that cuts the JSON", fileOf('{"a": 1}', 0, 5n), /not valid JSON/],
    ["a length that reaches into the data", fileOf("{}", 16, 10n), /not valid JSON/],
    ["broken JSON", fileOf('{"a": [1,}', 0), /not valid JSON/],
    ["text that is not an object", fileOf('[1, "a"]', 0), /starts with "\[1, \\"a\\"\]", "{" expected/],
    ["bytes that are not UTF-8", fileOf(Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x7d), 0), /not UTF-8/],
    ["an HTML page", fileOf("<!doctype html>", 0), /starts with "<!doctype ht"/],
    [
      "a key that occurs twice",
      fileOf(
        '{"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},"\\u0061":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}}',
        0,
      ),
      /"a" occurs twice/,
    ],
    [
      "a field that occurs twice",
      fileOf('{"a":{"dtype":"F32","dtype":"F16","shape":[0],"data_offsets":[0,0]}}', 0),
      /"dtype" occurs twice/,
    ],
  ])("%s", (_, file, message) => {
    expect(() => parseFile(file, "m")).toThrow(message);
  });

  test.each<[string, unknown, number, RegExp]>([
    [
      "unknown dtype",
      { a: entry("F31", [2], [0, 8]) },
      8,
      /m.safetensors: tensor "a": dtype is "F31"; known are F4, [\w, ]{100,160}, C64\. /,
    ],
    ["dtype from Object.prototype", { a: entry("toString", [2], [0, 8]) }, 8, /dtype is "toString"/],
    ["missing dtype", { a: { shape: [2], data_offsets: [0, 8] } }, 8, /dtype is missing/],
    ["negative shape", { a: entry("F32", [-2], [0, 8]) }, 8, /shape is \[-2\]/],
    ["fractional shape", { a: entry("F32", [0.5, 4], [0, 8]) }, 8, /shape is \[0.5,4\]/],
    ["shape that overflows", { a: entry("F32", [2 ** 40, 2 ** 40], [0, 8]) }, 8, /does not take a whole/],
    ["half bytes", { a: entry("F4", [3], [0, 2]) }, 2, /does not take a whole, safe number of bytes/],
    ["offsets turned round", { a: entry("F32", [2], [8, 0]) }, 8, /data_offsets is \[8,0\]/],
    ["three offsets", { a: entry("F32", [2], [0, 8, 9]) }, 8, /data_offsets is \[0,8,9\]/],
    [
      "offsets past the file",
      { a: entry("F32", [4], [0, 16]) },
      8,
      /\[0, 16\] end past the file, which has 8 bytes/,
    ],
    [
      "wrong byte count",
      { a: entry("F32", [3], [0, 8]) },
      8,
      /needs 12 bytes, but data_offsets \[0,8\] hold 8/,
    ],
    [
      "overlap",
      { a: f32x2(0), b: f32x2(4) },
      12,
      /tensor "b": data_offsets \[4, 12\] overlap "a", which ends at 8/,
    ],
    ["hole", { a: f32x2(0), b: f32x2(12) }, 20, /tensor "b": .* leave a hole of 4 bytes after "a"/],
    ["hole at the start", { a: f32x2(4) }, 12, /leave a hole of 4 bytes after "the header"/],
    ["bytes after the last tensor", { a: f32x2(0) }, 13, /5 bytes follow the last tensor "a"/],
    ["entry that is no object", { a: 3 }, 0, /tensor "a": its entry is 3/],
    ["metadata of numbers", { __metadata__: { a: 1 } }, 0, /__metadata__ "a" is 1, a string expected/],
  ])("%s", (_, header, data, message) => {
    expect(() => parse(header, data)).toThrow(message);
  });

  test("no bytes whatever crash the parser or are believed blindly", () => {
    const good = Buffer.concat([
      encodeHeader([{ name: "a", dtype: "F32", shape: [2, 2] }]),
      new Uint8Array(16),
    ]);
    const change = fc.tuple(fc.nat(good.length - 1), fc.nat(255));
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), fc.nat(good.length), (changes, cut) => {
        const bytes = Uint8Array.from(good.subarray(0, good.length - (cut % 3)));
        for (const [at, value] of changes) bytes[at] = value;
        try {
          const { tensors } = parseFile(bytes, "m");
          for (const t of tensors) expect(t.end).toBeLessThanOrEqual(bytes.length);
        } catch (error) {
          expect((error as Error).message).toMatch(/^safetensors: m: /);
        }
      }),
      { seed: 5, numRuns: 3000 },
    );
  });
});

test("a length that is itself cut off is refused", () => {
  expect(() => headerLength(new Uint8Array(3), 3, "m")).toThrow(/3 bytes/);
});
