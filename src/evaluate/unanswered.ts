/** @file Reasons why a sample has no answer: not asked, not answerable by the method, or a failure. */

import type { SampleRecord } from "../records/evaluation.ts";

/** For a case without a variant with another answer. */
export const UNALTERABLE = "the evidence does not name the answer, so it cannot be altered";

const TOO_LONG = "does not fit the model's window";

/** For a prompt that is too long and must not be cut. */
export const tooLong = (window: number): string => `${TOO_LONG} of ${window} tokens`;

export const NO_EVIDENCE = "no evidence is known for this question, and this oracle is given it";

type Failure = Pick<SampleRecord, "error">;

/** Whether the method was asked: then a missing answer counts as wrong. */
export const isAsked = ({ error }: Failure): boolean => error !== UNALTERABLE && error !== NO_EVIDENCE;

/** Whether a sample is final. Other failures may be temporary, such as a lost device. */
export const isDone = (sample: Failure): boolean =>
  sample.error === null || !isAsked(sample) || sample.error.startsWith(TOO_LONG);
