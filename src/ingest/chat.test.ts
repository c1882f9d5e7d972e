import { expect, test } from "vitest";
import { MESSAGE_LABEL } from "../lib/words.ts";
import { chatLines } from "./chat.ts";
import { sentences } from "./sentences.ts";
import { makeDocument } from "./text.ts";

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
  [
    "with paragraphs, a time at a line's start and a colon in a report",
    [
      "3/12/26, 6:04\u202fp.\u00a0m. - +49 170 1234567: We need:",
      "- milk",
      "",
      "12:30 is the train",
      "3/12/26, 6:05\u202fp.\u00a0m. - Lena (school): Ok",
      "3/12/26, 6:06\u202fp.\u00a0m. - Lena created group „Hut: 2026“",
      "3/12/26, 6:07\u202fp.\u00a0m. - Ann: <Media omitted>",
      "3/12/26, 6:08\u202fp.\u00a0m. - Ann: Good",
    ],
    [
      "3/12/26",
      "+49 170 1234567 (6:04\u202fp.\u00a0m.): We need:",
      "+49 170 1234567 (6:04\u202fp.\u00a0m.): milk",
      "+49 170 1234567 (6:04\u202fp.\u00a0m.): 12:30 is the train",
      "Lena (school) (6:05\u202fp.\u00a0m.): Ok",
      "3/12/26, 6:06\u202fp.\u00a0m. - Lena created group „Hut: 2026“",
      "Ann (6:07\u202fp.\u00a0m.): <Media omitted>",
      "Ann (6:08\u202fp.\u00a0m.): Good",
    ],
  ],
  [
    "of a meeting",
    ["10:00 Lee: It is small.", "10:15 Ann: Who agreed?", "The board?", "10:20 Lee: I did."],
    [
      "Lee (10:00): It is small.",
      "Ann (10:15): Who agreed?",
      "Ann (10:15): The board?",
      "Lee (10:20): I did.",
    ],
  ],
])("messages %s become sentences with their senders", (_, given, made) => {
  expect(lines(given.join("\n"))).toEqual(made);
});

test.each([
  ["prose", "It was 18:04.\nMarta: come here.\nJonas came."],
  ["a plan", "9:00 Breakfast\n10:15 Bus to Garmisch: platform 3\n12:00 Lunch at the hut"],
  ["a timetable", "9:00 – Breakfast: hall A\n10:15 – Bus: platform 3\n12:00 – Talk: bees"],
  [
    "a calendar",
    "2026-03-12 9:00 Dentist: Dr. Lee\n2026-03-13 8:00 Bus: platform 3\n2026-03-14 9:00 Talk: bees",
  ],
  ["two messages", "[18:04] Marta: Hey\n[18:05] Jonas: Hi"],
  ["nothing", ""],
])("%s stays as it is", (_, text) => {
  expect(chatLines(text)).toBe(text);
});

test("each part of a long message has its sender", () => {
  const long = `[18:04] Marta: ${"the house of my aunt ".repeat(100)}`;
  const text = chatLines(`${long}\n[18:05] Jonas: Yes\n[18:06] Marta: Good`);
  const told = [...sentences(makeDocument("chat.txt", text))].map((one) => one.text);
  expect(told.length).toBeGreaterThan(4);
  expect(told.filter((one) => !MESSAGE_LABEL.test(one))).toEqual([]);
});

test("a line of many blanks or digits takes no time", () => {
  const long = [" ".repeat(450_000), "1/".repeat(200_000), `[18:04] ${"a ".repeat(200_000)}`];
  const started = performance.now();
  for (const line of long) chatLines(`[18:04] a: b\n${line}\n${line}`);
  expect(performance.now() - started).toBeLessThan(2000);
});
