import { describe, expect, it } from "vitest";
import { norm, unit } from "./vector.ts";

describe("vectors", () => {
  it("have their Euclidean norm", () => expect(norm(Float32Array.from([3, 4, 12]))).toBe(13));

  it("are scaled to length 1, and zero stays zero", () => {
    expect([...unit(Float32Array.from([0, -2]))]).toEqual([0, -1]);
    expect([...unit(new Float32Array(3))]).toEqual([0, 0, 0]);
  });
});
