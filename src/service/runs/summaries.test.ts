/** @file Progress as the page gets it. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { throttled } from "./runs.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

interface Told {
  readonly stage: string;
  readonly done: number;
  readonly total: number | null;
}

function telling() {
  const heard: { readonly at: number; readonly done: number }[] = [];
  const began = Date.now();
  const tell = throttled<Told>(
    ({ done }) => heard.push({ at: Date.now() - began, done }),
    () => Date.now(),
  );
  return { heard, tell: (done: number, stage = "encode") => tell({ stage, done, total: 50 }) };
}

test("progress is told no more often than a person can see, the latest of each while", () => {
  const { heard, tell } = telling();
  for (let done = 0; done < 10; done++) {
    tell(done);
    vi.advanceTimersByTime(30);
  }
  vi.advanceTimersByTime(1000);
  expect(heard).toEqual([
    { at: 0, done: 0 },
    { at: 100, done: 3 },
    { at: 200, done: 6 },
    { at: 300, done: 9 },
  ]);
});

test("another stage and the end are told at once, and nothing old after them", () => {
  const { heard, tell } = telling();
  tell(0);
  tell(1);
  tell(0, "readBack");
  tell(1, "readBack");
  tell(50, "readBack");
  vi.advanceTimersByTime(1000);
  expect(heard.map(({ at, done }) => [at, done])).toEqual([
    [0, 0],
    [0, 0],
    [0, 50],
  ]);
});
