/** @file Subtitles -> running text; each sentence behind its speaker, if they name some. */

import { expect, it } from "vitest";
import { subtitleLines } from "./subtitles.ts";

it.each([
  [
    "SubRip, with a sentence over two cues",
    [
      "1\r\n00:00:01,000 --> 00:00:04,000\r\nThe old mill was built\r\nin 1743",
      "2\r\n00:00:04,500 --> 00:00:08,000\r\n<i>by Jan Vos.</i> It burnt down twice.",
      "3\r\n00:00:09,000 --> 00:00:10,000\r\n- Really?\r\n- Yes.\r\n",
    ].join("\r\n\r\n"),
    "The old mill was built in 1743 by Jan Vos. It burnt down twice. Really? Yes.",
  ],
  [
    "WebVTT, with voices and a note",
    [
      "WEBVTT - Meeting",
      "NOTE made by us",
      "1\n00:01.000 --> 00:04.000 align:start\n<v Anna Berg>The mill was built\nin 1743.</v>",
      "00:04.500 --> 00:08.000\n<v Tom>It burnt down twice. The second",
      "00:08.500 --> 00:09.000\n<v Tom>time in 1911 &amp; then never again.\n",
    ].join("\n\n"),
    "Anna Berg: The mill was built in 1743.\n\nTom: It burnt down twice.\n\nTom: The second time in 1911 & then never again.",
  ],
  [
    "a meeting, with names before the words",
    [
      "WEBVTT",
      "00:01.000 --> 00:04.000\nAnna Berg: We meet on Thursday",
      "00:04.000 --> 00:08.000\nAnna Berg: at six. Note: bring keys.",
      "00:08.000 --> 00:09.000\nTom: I can't.",
      "00:10.000 --> 00:11.000\nTom: My car is broken.",
    ].join("\n\n"),
    "Anna Berg: We meet on Thursday at six.\n\nAnna Berg: Note: bring keys.\n\nTom: I can't.\n\nTom: My car is broken.",
  ],
  [
    "people who say the same, and speakers that are not told",
    [
      "WEBVTT",
      "00:01.000 --> 00:04.000\n<v Anna>Yes.</v> <v Tom>Yes.",
      "00:05.000 --> 00:06.000\nReally?",
      "00:07.000 --> 00:08.000\nReally?\n<v Eve>It was",
      "00:08.000 --> 00:09.000\ngood, 5 < 6 and 7 > 3 &lrm;<3.",
    ].join("\n\n"),
    "Anna: Yes.\n\nTom: Yes.\n\nReally? Really?\n\nEve: It was good, 5 < 6 and 7 > 3 <3.",
  ],
  [
    "a name that speaks once, replies, and a cue after the end of a sentence",
    [
      "1\n00:00:01,000 --> 00:00:02,000\nAnna: Who is it?",
      "2\n00:00:02,000 --> 00:00:03,000\nTom: I.",
      "3\n00:00:03,000 --> 00:00:04,000\nAnna: Come in.\nSit down.",
      "4\n00:00:04,000 --> 00:00:05,000\n- Thanks.\n- Tea?",
      "5\n00:00:05,000 --> 00:00:06,000\nEve: NOTE well.",
    ].join("\n\n"),
    "Anna: Who is it?\n\nTom: I.\n\nAnna: Come in.\n\nAnna: Sit down.\n\nThanks. Tea?\n\nEve: NOTE well.",
  ],
  [
    "labels in each line, without marks between the speakers",
    [
      "WEBVTT",
      "NOTE Confidence: 0.8",
      "00:01.000 --> 00:02.000\nAnna: okay so the rent",
      "NOTE Confidence: 0.7",
      "00:02.000 --> 00:03.000\nDr. Weber: I will pay it from May.\nAnna: thank you",
      "NOTE Confidence: 0.9",
      "00:03.000 --> 00:04.000\n>> No, never.\n- Anna: a<b and c>d",
    ].join("\n\n"),
    "Anna: okay so the rent\n\nDr. Weber: I will pay it from May.\n\nAnna: thank you\n\nNo, never.\n\nAnna: a<b and c>d",
  ],
  [
    "no blank lines, and one within the words",
    "1\r00:00:01,000 --> 00:00:02,000\rOne a.\r2\r00:00:02,000 --> 00:00:03,000\rTwo b.\r\rNOTE this.\r3\r00:00:03,000 --> 00:00:04,000\rThree c.",
    "One a. Two b. NOTE this. Three c.",
  ],
])("%s", (_, text, expected) => {
  expect(subtitleLines(text)).toBe(expected);
});

it("captions without marks that repeat the line before become passages", () => {
  const line = (i: number): string => `and the words of line ${i} go on`;
  const cues = Array.from({ length: 12 }, (_, i) =>
    [`00:00:${10 + i}.000 --> 00:00:${11 + i}.000`, ...(i > 0 ? [line(i - 1)] : []), line(i)].join("\n"),
  );
  const passages = subtitleLines(["WEBVTT", ...cues].join("\n\n")).split("\n\n");
  expect(passages.join(" ")).toBe(cues.map((_, i) => line(i)).join(" "));
  expect(passages).toHaveLength(3);
});

it.each([
  [
    "an article about subtitles",
    "A cue has a time, 00:00:01,000 --> 00:00:02,000, and words.\n\nThat is all.",
  ],
  [
    "a text with three times",
    `${"A paragraph of an article.\n\n".repeat(20)}00:01.000 --> 00:02.000\n\n00:01.000 --> 00:02.000\n\n00:01.000 --> 00:02.000`,
  ],
])("%s is left as it is", (_, text) => {
  expect(subtitleLines(text)).toBe(text);
});

it("takes seconds for a hostile file of some megabytes", () => {
  const cue = "00:00:01,000 --> 00:00:02,000\n";
  const hostile = [
    cue.repeat(3) + "<v.".repeat(300_000),
    `${cue.repeat(4)}${"a\n".repeat(500_000)}`,
    `${cue}${" ".repeat(500_000)}x\n`.repeat(3),
  ];
  const started = performance.now();
  for (const text of hostile) subtitleLines(text);
  expect(performance.now() - started).toBeLessThan(10_000);
});
