import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DOCUMENT_LIMITS, readZip, writeZip, type ZipLimits } from "./zip.ts";

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("writeZip and readZip", () => {
  test("give back what was put in, in order", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(
          fc.record({
            name: fc.stringMatching(/^[a-zé0-9_/-]{0,12}[a-z]$/).filter((n) => !/^\/|\/\/|^\.+$/.test(n)),
            bytes: fc.uint8Array({ maxLength: 500 }),
            stored: fc.boolean(),
          }),
          { selector: ({ name }) => name, maxLength: 6 },
        ),
        async (files) => {
          const entries = await readZip(await writeZip(files), "a.zip");
          expect([...entries.keys()]).toEqual(files.map(({ name }) => name));
          for (const { name, bytes } of files) expect(await entries.get(name)!.read()).toEqual(bytes);
        },
      ),
      { numRuns: 40 },
    );
  });

  test("the same content gives the same bytes", async () => {
    const files = [{ name: "a/b.txt", bytes: utf8("abc") }];
    expect(await writeZip(files)).toEqual(await writeZip(files));
  });

  test("two files of one name are refused", async () => {
    const file = { name: "a", bytes: utf8("x") };
    await expect(writeZip([file, file])).rejects.toThrow(/zip: .*two files named "a"/);
  });
});

describe("bombs", () => {
  const limits = (some: Partial<ZipLimits>): ZipLimits => ({ ...DOCUMENT_LIMITS, ...some });

  test("the ratio stops an entry early", async () => {
    const bytes = await writeZip([{ name: "zeros", bytes: new Uint8Array(30e6) }]);
    const entries = await readZip(bytes, "bomb.zip");
    // 200 times the 29 KB of the entry is 5.8 MB: far from all of it.
    await expect(entries.get("zeros")!.read()).rejects.toThrow(
      /zip: "zeros" in "bomb.zip" unpacks \d{5} bytes to over [56]\d{6}; more than 200 times is the mark of a zip bomb/,
    );
  });

  test("the sum over entries is limited, before inflating where the archive is honest", async () => {
    const part = new Uint8Array(3e6).map((_, i) => (i * i) >> 3);
    const bytes = await writeZip([
      { name: "a", bytes: part },
      { name: "b", bytes: part },
    ]);
    const entries = await readZip(bytes, "sum.zip", limits({ maxBytes: 5e6 }));
    await entries.get("a")!.read();
    await entries.get("a")!.read(); // once more costs nothing
    await expect(entries.get("b")!.read()).rejects.toThrow(
      /zip: "sum.zip" unpacks to at least 6000000 bytes at "b"; the limit is 5000000/,
    );
  });

  test("an archive that lies about its size is stopped while inflating", async () => {
    const bytes = zipOf("liar", deflateRawSync(new Uint8Array(20e6)), { size: 10 });
    const entries = await readZip(bytes, "liar.zip", limits({ maxBytes: 1e6 }));
    expect(entries.get("liar")!.size).toBe(10);
    await expect(entries.get("liar")!.read()).rejects.toThrow(/^zip: .*"liar.zip"/);
  });

  test("too many entries", async () => {
    const bytes = await writeZip([1, 2, 3].map((n) => ({ name: `${n}`, bytes: utf8("x") })));
    await expect(readZip(bytes, "many.zip", limits({ maxEntries: 2 }))).rejects.toThrow(
      /zip: "many.zip" holds over 2 files/,
    );
  });
});

describe("damage", () => {
  const text = "Mary moved to the garden. ".repeat(400);

  test.each([
    ["no archive", async () => utf8("PK\u0003\u0004 and then nothing")],
    ["empty", async () => new Uint8Array()],
    ["cut short", async () => (await writeZip([{ name: "a", bytes: utf8(text) }])).slice(0, 100)],
  ])("%s", async (_, make) => {
    await expect(readZip(await make(), "x.zip")).rejects.toThrow(
      /zip: "x.zip" \(\d+ bytes\) is not a zip archive or is truncated/,
    );
  });

  test("a flipped byte is found by the checksum", async () => {
    const bytes = await writeZip([{ name: "a", bytes: utf8(text), stored: true }]);
    bytes[200]! ^= 1;
    const entries = await readZip(bytes, "x.zip");
    await expect(entries.get("a")!.read()).rejects.toThrow(/zip: "a" in "x.zip" is damaged/);
  });

  test("a compressed entry broken in the middle", async () => {
    const bytes = await writeZip([{ name: "a", bytes: utf8(text) }]);
    bytes.fill(0xff, 50, 80);
    const entries = await readZip(bytes, "x.zip");
    await expect(entries.get("a")!.read()).rejects.toThrow(/zip: "a" in "x.zip" is damaged/);
  });

  test("a password is named as such", async () => {
    const bytes = zipOf("secret", utf8("0123456789abcdef"), { size: 4, flags: 1, method: 0 });
    const entries = await readZip(bytes, "p.zip");
    expect(entries.get("secret")!.encrypted).toBe(true);
    await expect(entries.get("secret")!.read()).rejects.toThrow(
      /"secret" in "p.zip" is protected by a password/,
    );
  });
});

/** One entry written by hand, with header fields that no honest writer produces. */
function zipOf(
  name: string,
  data: Uint8Array,
  { size, flags = 0, method = 8 }: { size: number; flags?: number; method?: number },
): Uint8Array {
  const u16 = (...values: number[]) => values.flatMap((v) => [v & 255, v >> 8]);
  const u32 = (...values: number[]) => values.flatMap((v) => u16(v & 0xffff, v >>> 16));
  const file = utf8(name);
  const common = [...u16(20, flags, method, 0, 0x21), ...u32(0, data.length, size), ...u16(file.length, 0)];
  const local = [...u32(0x04034b50), ...common, ...file];
  const central = [...u32(0x02014b50), ...u16(20), ...common, ...u16(0, 0, 0), ...u32(0, 0), ...file];
  const end = [
    ...u32(0x06054b50),
    ...u16(0, 0, 1, 1),
    ...u32(central.length, local.length + data.length),
    0,
    0,
  ];
  return Uint8Array.from([...local, ...data, ...central, ...end]);
}
