import { describe, expect, it } from "vitest";
import { seriesLook } from "./LinesFigures.tsx";

describe("looks of lines", () => {
  it("differ by colour and by dash", () => {
    const looks = [...seriesLook(["a", "b", "c", "d", "e", "f", "g", "h"]).values()];
    expect(new Set(looks.map(({ color, dash }) => `${color} ${dash}`)).size).toBe(8);
    expect(looks[0]!.dash).not.toBe(looks[1]!.dash);
  });
});
