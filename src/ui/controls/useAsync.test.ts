import { describe, expect, it } from "vitest";
import { stateOf, type AsyncAnswer } from "./useAsync.tsx";

const answer: AsyncAnswer<string> = { to: ["a", 0], state: { status: "there", value: "of a", message: "" } };

describe("what an asynchronous hook shows", () => {
  it("is the answer to the inputs of now", () =>
    expect(stateOf(answer, ["a", 0], true, false)).toBe(answer.state));

  it("is never the answer to other inputs, unless it is kept", () => {
    expect(stateOf(answer, ["b", 0], true, false)).toEqual({ status: "waiting", value: null, message: "" });
    expect(stateOf(answer, ["b", 0], true, true)).toMatchObject({ status: "waiting", value: "of a" });
  });

  it("waits when the same is asked again", () =>
    expect(stateOf(answer, ["a", 1], true, false).status).toBe("waiting"));

  it("is idle while nothing is wanted", () => {
    expect(stateOf(answer, ["a", 0], false, false)).toEqual({ status: "idle", value: null, message: "" });
    expect(stateOf(null, [], false, true)).toEqual({ status: "idle", value: null, message: "" });
  });
});
