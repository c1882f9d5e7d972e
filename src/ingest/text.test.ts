import { describe, expect, test } from "vitest";
import { checkText, decodeText, makeDocument } from "./text.ts";

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("decodeText", () => {
  test("reads UTF-8 as it stands, line ends and all", async () => {
    const text = "Mary moved to the garden.\r\n\r\nZoë “left”.\t🙂\n";
    expect(await decodeText(utf8(text), "a.txt")).toEqual({ text, encoding: "utf-8", notes: [] });
  });

  test("drops a UTF-8 byte order mark and nothing else", async () => {
    expect((await decodeText(bytes(0xef, 0xbb, 0xbf, 0x41, 0x20), "a")).text).toBe("A ");
  });

  test.each([
    ["utf-16le", [0xff, 0xfe, 0x41, 0x00, 0x1c, 0x20]],
    ["utf-16be", [0xfe, 0xff, 0x00, 0x41, 0x20, 0x1c]],
  ] as const)("reads %s by its byte order mark", async (encoding, data) => {
    expect(await decodeText(bytes(...data), "a")).toEqual({ text: "A“", encoding, notes: [] });
  });

  test("falls back to windows-1252 and says so", async () => {
    const decoded = await decodeText(bytes(0x93, 0x63, 0x61, 0x66, 0xe9, 0x94, 0x20, 0x80), "old.txt");
    expect(decoded.text).toBe("“café” €");
    expect(decoded.encoding).toBe("windows-1252");
    expect(decoded.notes.join()).toMatch(/"old.txt" is not valid UTF-8/);
  });

  test("refuses known binary formats by name", async () => {
    await expect(decodeText(bytes(0x89, 0x50, 0x4e, 0x47, 13, 10), "a.txt")).rejects.toThrow(
      /"a.txt" is a PNG image/,
    );
    await expect(decodeText(utf8("%PDF-1.7 …"), "b.txt")).rejects.toThrow(/a PDF file/);
    await expect(decodeText(utf8("PK\u0003\u0004…"), "c.txt")).rejects.toThrow(/a zip archive/);
    await expect(decodeText(utf8("{\\rtf1 Hello}"), "d.txt")).rejects.toThrow(
      /an RTF file, not plain text; open it and save/,
    );
    await expect(decodeText(utf8(`${"x".repeat(60)}BOOKMOBI`), "e.txt")).rejects.toThrow(
      /a Mobipocket or Kindle/,
    );
  });

  test("refuses NUL bytes and many control characters", async () => {
    await expect(decodeText(utf8("abc\0def"), "a.bin")).rejects.toThrow(/"a.bin" is not plain text/);
    await expect(decodeText(utf8("\u0001\u0002\u0003abc"), "a.bin")).rejects.toThrow(/3 control characters/);
    expect((await decodeText(utf8("colour \u001b[31mred\u001b[0m\f"), "log")).encoding).toBe("utf-8");
  });

  test.each([
    ["utf-16le", (code: number) => [code & 255, code >> 8]],
    ["utf-16be", (code: number) => [code >> 8, code & 255]],
  ] as const)("reads %s without a mark by its NUL bytes", async (encoding, pair) => {
    const text = "Mary said “hello”.\n";
    const data = Array.from(text, (c) => pair(c.charCodeAt(0))).flat();
    expect(await decodeText(bytes(...data), "a")).toEqual({ text, encoding, notes: [] });
  });

  test("refuses binary behind a mark", async () => {
    await expect(decodeText(bytes(0xff, 0xfe, 0, 0, 1, 0, 2, 0, 3, 0), "v")).rejects.toThrow(
      /not plain text/,
    );
  });

  test("an encoding that the file declares is used where the bytes are not UTF-8", async () => {
    const moskva = bytes(0xcc, 0xee, 0xf1, 0xea, 0xe2, 0xe0);
    expect(await decodeText(moskva, "a", { declared: "Windows-1251" })).toEqual({
      text: "Москва",
      encoding: "windows-1251",
      notes: [],
    });
    expect((await decodeText(utf8("Москва"), "a", { declared: "windows-1251" })).encoding).toBe("utf-8");
    expect((await decodeText(moskva, "a", { declared: "no-such" })).notes.join()).toMatch(/a guess/);
    const kanji = bytes(0x1b, 0x24, 0x42, 0x34, 0x41, 0x3b, 0x7a, 0x1b, 0x28, 0x42);
    expect((await decodeText(kanji, "a", { declared: "iso-2022-jp" })).text).toBe("漢字");
  });

  test("the user's choice wins, and an unknown one is refused", async () => {
    expect((await decodeText(utf8("é"), "a", { chosen: "latin1" })).text).toBe("Ã©");
    expect((await decodeText(bytes(0x8a, 0xbf), "a", { chosen: "shift_jis" })).text).toBe("漢");
    await expect(decodeText(utf8("é"), "a", { chosen: "klingon" })).rejects.toThrow(
      /"klingon" is not an encoding/,
    );
  });

  test("refuses an empty file and white space alone", async () => {
    await expect(decodeText(bytes(), "e.txt")).rejects.toThrow(/"e.txt" is empty/);
    await expect(decodeText(utf8(" \n\t\n"), "w.txt")).rejects.toThrow(
      /holds no text \(4 characters of white space\)/,
    );
    expect(() => checkText("", "pasted text")).toThrow(/"pasted text" holds no text/);
  });
});

test("a document is named by the SHA-256 of its text", () => {
  expect(makeDocument("abc", "abc")).toEqual({ id: "ba7816bf8f01cfea", title: "abc", text: "abc" });
  expect(() => makeDocument("empty", " ")).toThrow(/holds no text/);
});
