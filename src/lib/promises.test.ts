import { expect, it } from "vitest";
import { once } from "./promises.ts";

it("makes a value once for all who ask, and again after a failure", async () => {
  const kept = new Map<string, Promise<number>>();
  let made = 0;
  const make = (): Promise<number> =>
    ++made === 1 ? Promise.reject(new Error("no room")) : Promise.resolve(made);

  await expect(once(kept, "a", make)).rejects.toThrow("no room");
  expect(kept.size).toBe(0);
  expect(await Promise.all([once(kept, "a", make), once(kept, "a", make)])).toEqual([2, 2]);
  expect(made).toBe(2);
});

it("leaves alone what took the place of a failed one", async () => {
  const kept = new Map<string, Promise<number>>();
  const failing = once(kept, "a", () => Promise.reject(new Error("late")));
  kept.set("a", Promise.resolve(7));

  await expect(failing).rejects.toThrow("late");
  expect(await kept.get("a")).toBe(7);
});
