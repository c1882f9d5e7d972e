import { describe, expect, it } from "vitest";
import { studyDetail } from "./RunLive.tsx";

describe("how far a study is", () => {
  it.each([
    [{ done: 0, total: 8, note: "", left: null }, "0 of 8 cases"],
    [{ done: 3, total: 8, note: "", left: 131_000 }, "3 of 8 cases, about 2 min 10 s left"],
    [{ done: 3, total: 8, note: "", left: 33_000 }, "3 of 8 cases, about 35 s left"],
    [{ done: 7, total: 8, note: "", left: 900 }, "7 of 8 cases, nearly done"],
    [{ done: 8, total: 8, note: "", left: 0 }, "8 of 8 cases"],
  ])("%j is “%s”", (progress, words) => expect(studyDetail(progress)).toBe(words));
});
