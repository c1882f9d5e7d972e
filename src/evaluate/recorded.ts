/**
 * @file A run as a repository keeps it: every sample with all its figures. Long prompts, most of what a run weighs and
 * made again from text and method, are left to their hash, and times to whole milliseconds.
 */

import type { Evaluation, SampleRecord } from "../records/evaluation.ts";

/** Characters; our own prompts are shorter, and those of a window full of text are longer. */
export const LONGEST_PROMPT = 2500;

export const recorded = ({ header, samples }: Evaluation): Evaluation => ({
  header,
  samples: samples.map(shortened),
});

const shortened = (sample: SampleRecord): SampleRecord => ({
  ...sample,
  prompt: sample.prompt !== null && sample.prompt.length > LONGEST_PROMPT ? null : sample.prompt,
  milliseconds: {
    prepare: Math.round(sample.milliseconds.prepare),
    answer: Math.round(sample.milliseconds.answer),
  },
});
