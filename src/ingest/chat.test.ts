import { expect, test } from "vitest";
import { chatLines } from "./chat.ts";

const lines = (text: string): readonly string[] => chatLines(text).split(/\n+/);

test.each([
  [
    "with brackets",
    [
      "[12/03/2026, 18:04:11] Marta: Hey, who drives? I can't.",
      "[12/03/2026, 18:05:40] Jonas: Me.",
      "The Skoda is back",
      "\u200e[13/03/2026, 8:15:20] Marta: \u200eimage omitted",
    ],
    [
      "12/03/2026",
      "Marta (18:04:11): Hey, who drives?",
      "Marta (18:04:11): I can't.",
      "Jonas (18:05:40): Me.",
      "Jonas (18:05:40): The Skoda is back",
      "13/03/2026",
      "Marta (8:15:20): image omitted",
    ],
  ],
  [
    "with a dash and reports",
    [
      "12.03.26, 6:04 PM - Messages are end-to-end encrypted.",
      "12.03.26, 6:04\u202fPM - Dr. Lee: See https://example.org: it is there.",
      "12.03.26, 6:05 PM - Priya added Lena",
      "12.03.26, 6:06 PM - Lena: Hi",
      "12.03.26, 6:07 PM - Dr. Lee: Welcome",
    ],
    [
      "12.03.26",
      "12.03.26, 6:04 PM - Messages are end-to-end encrypted.",
      "Dr. Lee (6:04\u202fPM): See https://example.org: it is there.",
      "12.03.26, 6:05 PM - Priya added Lena",
      "Lena (6:06 PM): Hi",
      "Dr. Lee (6:07 PM): Welcome",
    ],
  ],
  [
    "of a log",
    ["[18:04] <marta> Who drives?", "[18:05] <jonas> Me.", "[18:06] <marta> Good."],
    ["marta (18:04): Who drives?", "jonas (18:05): Me.", "marta (18:06): Good."],
  ],
])("messages %s become sentences with their senders", (_, given, made) => {
  expect(lines(given.join("\n"))).toEqual(made);
});

test.each([
  ["prose", "It was 18:04.\nMarta: come here.\nJonas came."],
  ["a plan", "9:00 Breakfast\n10:15 Bus to Garmisch: platform 3\n12:00 Lunch at the hut"],
  ["two messages", "[18:04] Marta: Hey\n[18:05] Jonas: Hi"],
  ["nothing", ""],
])("%s stays as it is", (_, text) => {
  expect(chatLines(text)).toBe(text);
});

test("a line of many blanks or digits takes no time", () => {
  const long = [" ".repeat(450_000), "1/".repeat(200_000), `[18:04] ${"a ".repeat(200_000)}`];
  const started = performance.now();
  for (const line of long) chatLines(`[18:04] a: b\n${line}\n${line}`);
  expect(performance.now() - started).toBeLessThan(2000);
});
