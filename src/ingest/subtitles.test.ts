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
