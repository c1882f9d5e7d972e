import { expect, it } from "vitest";
import { createTurnQueue, inTurn } from "./turns.ts";

it("lets two devices and a stranger run one at a time, and closes them apart", async () => {
  let inside = 0;
  let most = 0;
  const job = async () => {
    most = Math.max(most, ++inside);
    await new Promise((resolve) => setTimeout(resolve, 1));
    inside--;
    return "done";
  };
  const [one, two] = [createTurnQueue(), createTurnQueue()];
  const jobs = [one, two, one, two].map((queue) => queue.run("job", job));
  expect(await Promise.all([...jobs, inTurn("stranger", job)])).toEqual(new Array(5).fill("done"));
  expect(most).toBe(1);
  one.close(new Error("lost"));
  await expect(one.run("job", job)).rejects.toThrow("lost");
  expect(await two.run("job", job)).toBe("done");
});
