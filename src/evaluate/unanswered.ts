/** @file Why a sample has no answer: it could not be asked, the method could not answer it, or something went wrong. */

import type { SampleRecord } from "../records/evaluation.ts";

/** Why a case has no variant with another answer. */
export const UNALTERABLE = "the evidence does not name the answer, so it cannot be altered";

const TOO_LONG = "does not fit the model's window";

/** Why a method has no answer whose prompt must not be cut. */
export const tooLong = (window: number): string => `${TOO_LONG} of ${window} tokens`;

/** Why an oracle that is given the evidence has no answer. */
export const NO_EVIDENCE = "no evidence is known for this question, and this oracle is given it";

type Failure = Pick<SampleRecord, "error">;

/** Whether the method was asked at all: where it was, an answer that is missing is a wrong one. */
export const isAsked = ({ error }: Failure): boolean => error !== UNALTERABLE && error !== NO_EVIDENCE;

/** Whether a sample need not be run again: another failure may have been the machine's (a device that was lost). */
export const isDone = (sample: Failure): boolean =>
  sample.error === null || !isAsked(sample) || sample.error.startsWith(TOO_LONG);
