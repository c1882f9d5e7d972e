import { describe, expect, it } from "vitest";
import { seriesLook } from "./LinesFigures.tsx";

describe("looks of lines", () => {
  it("differ by colour and by dash", () => {
    const looks = [...seriesLook(["a", "b", "c", "d", "e", "f", "g", "h"]).values()];
    expect(new Set(looks.map(({ color, dash }) => `${color} ${dash}`)).size).toBe(8);
    expect(looks[0]!.dash).not.toBe(looks[1]!.dash);
  });

  it("of two runs keep the colour of a line and dash the second", () => {
    const looks = seriesLook(["A: template", "A: sentences", "B: template", "B: sentences"]);
    expect(looks.get("A: template")!.color).toBe(looks.get("B: template")!.color);
    expect(looks.get("A: template")!.color).not.toBe(looks.get("A: sentences")!.color);
    expect(looks.get("A: template")!.dash).toBe("none");
    expect(looks.get("B: template")!.dash).not.toBe("none");
  });
});
